-- The names of the parameters and members of a request that its endpoint does not know; null where it knew all. Requests from before have none.
alter table request_log add column ignored text check (length(ignored) between 1 and 2000);
