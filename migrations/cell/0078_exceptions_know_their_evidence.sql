-- An exception knows which legs of reconciliation found it, on what evidence, and since when each leg has agreed again (rails.md 5.4).
-- Null: it was found by a release that did not say; then only a person closes it.
alter table exceptions
  add column legs     text[] constraint known_legs check (legs <@ array['internal', 'references', 'statement']),
  -- Digests of what the operator said, by whatever road it came.
  add column evidence text[] not null default '{}',
  -- The first look of each leg that agreed, since that leg last found something.
  add column agreed   jsonb  not null default '{}';
create index exceptions_by_subject on exceptions (merchant_id, subject);

-- What is known of those that are there. What agreement closed has no say any more.
with ours as (
  select merchant_id, id, amount - gift_card_amount as amount from charges
  union all select merchant_id, id, amount from payouts
  union all select merchant_id, id, amount from top_ups
), said as (
  select e.merchant_id, e.id, case e.kind
      when 'late_contradiction' then jsonb_build_object('rail_said', coalesce(d -> 'rail_said' ->> 'status', d ->> 'rail_said'))
      when 'ours_only' then '{"rail_said": "nothing"}'
      when 'rail_only' then case when d ->> 'we_say' = 'nothing' then d - 'at' - 'we_say' else '{"rail_said": "succeeded"}' end
      when 'mismatch' then case
        -- What differed of an answer; where nothing else did, it was the party.
        when not d ? 'side' then coalesce(nullif(jsonb_strip_nulls(jsonb_build_object(
          'amount', case when (d ->> 'amount')::numeric <> (select o.amount from ours o
            where (o.merchant_id, o.id) = (e.merchant_id, e.subject)) then d -> 'amount' end,
          'currency', nullif(d ->> 'currency', 'UGX'),
          'externalId', nullif(d ->> 'external_id', e.subject))), '{}'), '{"party": "another"}')
        when d -> 'we_say' = d -> 'rail_said' then jsonb_build_object('side', d -> 'side')
        else jsonb_build_object('amount', d -> 'rail_said') end
      else d end as claim,
    case when e.kind = 'ledger_breach' then 'internal'
      when e.kind in ('rail_only', 'doubled_by_rail') or (e.kind = 'mismatch' and d ? 'side') or (e.kind = 'ours_only' and not d ? 'rail_said')
      then 'statement' else 'references' end as leg
  from exceptions e, lateral (select e.details as d) x)
update exceptions e set legs = array[s.leg], evidence = array[md5(s.claim::text)]
from said s where (s.merchant_id, s.id) = (e.merchant_id, e.id);
