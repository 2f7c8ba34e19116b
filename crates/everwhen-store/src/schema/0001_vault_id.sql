-- The id of a vault has the same name in every table and every database.

-- sqlite only
ALTER TABLE vault RENAME COLUMN id TO vault_id;
