-- Since when a receiver has taken nothing, and when its people were told of that. A success ends it.
alter table receivers add column failing_since timestamptz, add column failing_told_at timestamptz;
create index receivers_failing on receivers (failing_since) where failing_since is not null;
