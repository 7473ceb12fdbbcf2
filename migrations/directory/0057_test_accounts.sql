-- A business that a full test key has made for its tests: the merchant who asked for it, and until when its keys work. Null: a merchant like any
-- other. They stand in the row with which a key is found, so that they cost no look-up.
alter table merchants add column parent_id bigint;
alter table merchants add column expires_at timestamptz;
alter table merchants add constraint merchants_parent_and_end check ((parent_id is null) = (expires_at is null));
-- How full a cell is does not depend on what lives for a day.
create index merchants_own_of_cell on merchants (cell) where parent_id is null;
