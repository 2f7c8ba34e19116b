-- What lets those who keep facts and chapters at hand follow changes without reading all anew, and
-- those who write chapters plan only those that something said late has changed.

ALTER TABLE memory ADD COLUMN facts_changed bigint NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN chapters_mark bigint NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN chapters_from bigint;
