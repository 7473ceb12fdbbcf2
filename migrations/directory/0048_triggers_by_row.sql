-- As in the cells: a trigger fires for each row, because on a server of a cluster it gets no table of the rows that were added.
drop trigger audit_waits_for_seal on audit;
create or replace function queue_for_seal() returns trigger language plpgsql set search_path from current as $$
begin
  insert into audit_to_seal (audit_id) values (new.id);
  return null;
end $$;
create trigger audit_waits_for_seal after insert on audit for each row execute function queue_for_seal();
