-- `verify` compares keys, people, operators and handles with the newest row of the audit that says something of them, without reading the rows
-- of all sign-ins.
create index audit_of_access on audit (action, merchant_id, subject, id) where action in (
  'upgrade.record', 'merchant.create', 'merchant.handle', 'key.create', 'key.rotate', 'key.revoke', 'account.create', 'account.confirm',
  'account.add-business', 'people.join', 'people.role', 'people.remove', 'people.limit', 'till.enter', 'operator.enrol', 'operator.role',
  'operator.remove', 'merchant.close', 'merchant.reopen');
-- What stands is written down once, for what was made before its act named it: from here on each change has a row. The time is that of the last
-- act before. A process of the release before writes rows of its own, which come later and count:
-- the locks wait for what is under way.
lock table merchants, api_keys, people, memberships in share mode;
with last as (select max(at) as at from audit),
  held as (select merchant_id, jsonb_object_agg(id, case when revoked_at is null then kind else 'revoked' end) as keys from api_keys group by merchant_id),
  staff as (select w.merchant_id, jsonb_object_agg(p.public_id, w.role) as people
    from memberships w join people p on p.id = w.person_id group by w.merchant_id),
  told as (
    select m.id as merchant_id, m.public_id as subject, m.created_at, jsonb_build_object('handle', m.handle,
      'keys', coalesce(h.keys, '{}'), 'people', coalesce(s.people, '{}')) as after
    from merchants m left join held h on h.merchant_id = m.id left join staff s on s.merchant_id = m.id
    union all
    select null, p.public_id, p.created_at, jsonb_build_object('role', p.operator_role)
    from people p where p.realm = 'operator' and p.closed_at is null)
insert into audit (at, actor_kind, actor, origin, action, merchant_id, subject, after)
select coalesce(last.at, t.created_at), 'service', 'upgrade', '', 'upgrade.record', t.merchant_id, t.subject, t.after
from told t cross join last order by t.merchant_id, t.subject;
