-- A trigger fires for each row and finds its tables by a path of its own, so that it works as well where the cell lies on a server of a
-- cluster: there it gets no table of the rows that were added, and the connection has another path.
drop trigger audit_waits_for_seal on audit;
create or replace function queue_for_seal() returns trigger language plpgsql set search_path from current as $$
begin
  insert into audit_to_seal (audit_id) values (new.id);
  return null;
end $$;
create trigger audit_waits_for_seal after insert on audit for each row execute function queue_for_seal();

create or replace function mark_payout_queued() returns trigger language plpgsql set search_path from current as $$
begin
  update payouts set in_queue = new.state in ('queued', 'not_sent') and new.first_sent_at is null
  where merchant_id = new.merchant_id and id = new.subject;
  return null;
end $$;
