-- What a key allows, until when, and when it was last used. Keys made before there were scopes could
-- do everything with their vault, and still can.

ALTER TABLE access_key ADD COLUMN scope text NOT NULL DEFAULT 'admin';
ALTER TABLE access_key ADD COLUMN expires_at bigint;
ALTER TABLE access_key ADD COLUMN last_used_at bigint;
