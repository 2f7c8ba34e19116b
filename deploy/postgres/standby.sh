#!/bin/bash
# A standby from nothing: copies the primary if there is nothing yet, then follows it. Its arguments go to postgres.
#   PGDATA                                             an empty directory, or a standby's
#   PRIMARY_HOST, PRIMARY_PORT, REPLICATION_PASSWORD   where the primary is, and the password of `replicator`
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # A copy that broke off is begun again.
  until find "$PGDATA" -mindepth 1 -delete && PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup \
    --pgdata "$PGDATA" --write-recovery-conf --wal-method stream --checkpoint fast \
    --dbname "host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=standby"; do
    echo "the primary cannot be copied yet; trying again" >&2
    sleep 2
  done
  chmod 700 "$PGDATA"
fi
exec postgres "$@"
