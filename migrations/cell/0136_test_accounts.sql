-- A business that a full test key has made for its tests: the merchant who asked for it, and until when it lives. Null: a merchant like any other.
alter table merchants add column parent_id bigint;
alter table merchants add column expires_at timestamptz;
alter table merchants add constraint merchants_parent_and_end check ((parent_id is null) = (expires_at is null));
alter table merchants add constraint merchants_parent_is_another check (parent_id <> id);
create index merchants_of_parent on merchants (parent_id, created_at, public_id) where parent_id is not null;
create index merchants_expiring on merchants (expires_at) where expires_at is not null and closed_at is null;
