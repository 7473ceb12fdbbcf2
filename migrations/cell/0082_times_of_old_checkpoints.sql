-- What release 1.3.0 left out of its checkpoints: a statement finds by these times where a month is, so without them it reads all transfers
-- before. Nothing that a checkpoint says is changed.
alter table ledger_checkpoints disable trigger checkpoints_never_change;
update ledger_checkpoints c set after_seq = o.after_seq, sums = o.sums, first_at = o.first_at, last_at = o.last_at
from (
  select k.merchant_id, k.mode, k.seq, k.before as after_seq, min(t.first_at) as first_at, max(t.last_at) as last_at,
    jsonb_object_agg(t.kind, jsonb_build_object('count', t.count, 'amount', t.amount, 'change', t.change)) as sums
  from (select merchant_id, mode, seq, sums, lag(seq, 1, 0::bigint) over (partition by merchant_id, mode order by seq) as before
    from ledger_checkpoints) k
  cross join lateral (
    select kind, count(*) as count, sum(amount) as amount, min(at) as first_at, max(at) as last_at,
      sum(case when credit in ('available', 'pending') then amount else 0 end
        - case when debit in ('available', 'pending') then amount else 0 end) as change
    from transfers where merchant_id = k.merchant_id and mode = k.mode and seq > k.before and seq <= k.seq group by kind) t
  where k.sums is null group by k.merchant_id, k.mode, k.seq, k.before) o
where c.merchant_id = o.merchant_id and c.mode = o.mode and c.seq = o.seq;
alter table ledger_checkpoints enable trigger checkpoints_never_change;
-- A statement reads when the transfers of each happened.
create index checkpoints_by_time on ledger_checkpoints (merchant_id, mode, seq) include (after_seq, first_at, last_at);
