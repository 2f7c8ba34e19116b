#!/bin/bash
# Run once by the image's entry point, on the temporary server that creates a new database and accepts no remote connections yet.
#   POSTGRES_USER, POSTGRES_DB, PGDATA   as the image sets them
#   REPLICATION_PASSWORD                 of the role that standbys connect as
set -euo pipefail
psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE replicator REPLICATION LOGIN PASSWORD :'password';
-- Takes effect with the next start, when standbys can connect. On the server that runs now, every commit would wait for ever.
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
