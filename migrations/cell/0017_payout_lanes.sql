-- A live payout that waits to be sent and has never left. Kept by the database alone: whoever moves the attempt moves this with
-- it. A freeze or a pause holds exactly these back; what may have left is asked about whatever is frozen.
alter table payouts add column in_queue boolean not null default false;
update payouts p set in_queue = true from rail_attempts a
where a.side = 'disburse' and a.state in ('queued', 'not_sent') and a.first_sent_at is null
  and p.merchant_id = a.merchant_id and p.id = a.subject and p.status in ('pending', 'authorized') and p.voided_at is null;

create function mark_payout_queued() returns trigger language plpgsql as $$
begin
  update payouts set in_queue = new.state in ('queued', 'not_sent') and new.first_sent_at is null
  where merchant_id = new.merchant_id and id = new.subject;
  return null;
end $$;
create trigger attempts_mark_queue after update on rail_attempts for each row
  when (new.side = 'disburse' and (old.state in ('queued', 'not_sent') and old.first_sent_at is null)
    <> (new.state in ('queued', 'not_sent') and new.first_sent_at is null))
  execute function mark_payout_queued();

-- One after another the merchants that have something open, and of each what is due first: nobody's queue is walked for another.
create index payouts_due on payouts (mode, in_queue, merchant_id, follow_at) where follow_at is not null;
