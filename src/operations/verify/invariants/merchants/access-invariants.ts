import { hasAction } from '../audit-sql.ts'
import { fromDirectory, type Invariant } from '../invariant.ts'

// Joins rows `t` of the directory with their merchant, if it belongs to this cell.
const OF_THIS_CELL = 'join directory.merchants d on d.id = t.merchant_id and d.cell = $3'
const LETS_IN = hasAction('people.join', 'account.create', 'till.enter')
const GIVEN_ROLE = `case a.action when 'account.create' then 'owner' when 'till.enter' then 'cashier' else a.after->>'role' end`
// The names of a person: its own id, and the ids of the accounts that were added to it.
const NAMES = `select id as person_id, public_id as name from directory.people
  union all select (a.after->>'added_to')::bigint, a.subject from directory.audit a
    where ${hasAction('account.confirm', 'account.add-business')} and a.after ? 'added_to'`
// The role that each audit row gives a person at a merchant; null: none any more. A release before this one did not name who was let in:
// its row is of the same moment as the membership.
const AUDITED_ROLES = `select a.id, t.merchant_id, t.person_id, a.after->>'role' as role from directory.memberships t ${OF_THIS_CELL}
    join names n on n.person_id = t.person_id
    join directory.audit a on a.merchant_id = t.merchant_id and a.subject = n.name and ${hasAction('people.role', 'people.remove')}
  union all
  select a.id, t.merchant_id, t.person_id, ${GIVEN_ROLE} from directory.memberships t ${OF_THIS_CELL}
    join directory.audit a on a.merchant_id = t.merchant_id and a.at = t.created_at and ${LETS_IN}
    left join names n on (n.person_id, n.name) = (t.person_id, a.after->>'person')
    where not a.after ? 'person' or n.name is not null
  union all
  select a.id, a.merchant_id, n.person_id, e.value from directory.audit a
    cross join lateral jsonb_each_text(a.after->'people') e join names n on n.name = e.key where ${hasAction('upgrade.record')}`

const MADE_KEYS = `select a.id, a.merchant_id, a.subject as key, a.after->>'kind' as kind from directory.audit a
    where ${hasAction('key.create', 'key.rotate')}
  union all
  select a.id, a.merchant_id, e.key, e.value from directory.audit a cross join lateral jsonb_each_text(a.after->'keys') e
    where ${hasAction('merchant.create', 'upgrade.record')}`
// The newest row that ends a key: of the key itself, of all older keys of its kind, or of all keys of its merchant.
const KEY_END_ROWS = `left join (select a.subject, max(a.id) as id from directory.audit a where ${hasAction('key.revoke')} group by a.subject) ends
    on ends.subject = t.id
  left join (select a.merchant_id, a.after->>'kind' as kind, max(a.id) as id from directory.audit a where ${hasAction('key.rotate')}
    group by a.merchant_id, a.after->>'kind') replaced on (replaced.merchant_id, replaced.kind) = (t.merchant_id, t.kind)
  left join (select a.merchant_id, max(a.id) as id from directory.audit a where ${hasAction('merchant.close')} and a.after ? 'keys_ended'
    group by a.merchant_id) closed on closed.merchant_id = t.merchant_id`
const IS_ENDED = 'coalesce(greatest(ends.id, replaced.id, closed.id) > coalesce(made.id, 0), false)'
// The four keys that a merchant began with, where its row of creation is from a release that did not name them.
const BEGAN_UNNAMED = `exists (select from directory.audit a where a.merchant_id = t.merchant_id and a.action = 'merchant.create' and not a.after ? 'keys')
  and not exists (select from directory.audit a where a.merchant_id = t.merchant_id and a.action = 'upgrade.record')
  and t.created_at between d.created_at - interval '1 day' and d.created_at + interval '1 day'`

// Read as a whole before it is joined with the cell, like `fromDirectory`.
const AUDITED_HANDLES = `select distinct on (a.merchant_id) a.merchant_id, a.after->>'handle' as handle from directory.audit a
  where ${hasAction('merchant.create', 'merchant.handle', 'upgrade.record')} and a.after ? 'handle' order by a.merchant_id, a.id desc offset 0`

/** Access: each row of the directory is what the newest row of its audit says. */
export const ACCESS_INVARIANTS: readonly Invariant[] = [
  {
    id: 'AC1',
    says: 'everybody who works for a merchant was let in by somebody, in the role that was given last',
    counted: `select count(*) from directory.memberships t ${OF_THIS_CELL}`,
    offenders: `with names as materialized (${NAMES}),
        said as (select distinct on (merchant_id, person_id) merchant_id, person_id, role from (${AUDITED_ROLES}) s
          order by merchant_id, person_id, id desc)
      select t.merchant_id, 'live'::mode as mode, format('%s at %s', p.public_id, d.public_id) as offender
      from directory.memberships t ${OF_THIS_CELL} join directory.people p on p.id = t.person_id
      left join said on (said.merchant_id, said.person_id) = (t.merchant_id, t.person_id)
      where said.role is distinct from t.role`,
  },
  {
    id: 'AC2',
    says: 'everybody who works on the console has set up its sign-in, and has the role that was given last',
    counted: `select count(*) from directory.people where realm = 'operator'`,
    offenders: `select null::bigint as merchant_id, null::text as mode, p.public_id as offender from directory.people p
      left join (select distinct on (a.subject) a.subject, a.after->>'role' as role from directory.audit a
        where ${hasAction('operator.enrol', 'operator.role', 'operator.remove', 'upgrade.record')} and a.merchant_id is null
          and (a.after ? 'role' or a.action = 'operator.remove') order by a.subject, a.id desc) said on said.subject = p.public_id
      where p.realm = 'operator' and p.closed_at is null and said.role is distinct from p.operator_role`,
  },
  {
    id: 'AC3',
    says: 'every API key was made by somebody, as a key of its merchant and kind, and works until somebody ends it',
    counted: `select count(*) from directory.api_keys t ${OF_THIS_CELL}`,
    offenders: `select t.merchant_id, 'live'::mode as mode, t.id as offender from directory.api_keys t ${OF_THIS_CELL}
        left join (select distinct on (key) * from (${MADE_KEYS}) m order by key, id desc) made on made.key = t.id and made.merchant_id = t.merchant_id
        ${KEY_END_ROWS}
        where t.id <> 'key_' || left(encode(t.hash, 'hex'), 24)
          or made.id is null and not (${BEGAN_UNNAMED})
          or made.kind not in (t.kind, 'revoked')
          or t.revoked_at is null and (made.kind = 'revoked' or ${IS_ENDED})
          or t.revoked_at is not null and made.kind <> 'revoked' and not ${IS_ENDED}
      union all
      select t.merchant_id, 'live', t.id from api_keys t
        join ${fromDirectory('api_keys', 'id, merchant_id, kind, closed_in_cell')} k on k.id = t.id
        where k.merchant_id <> t.merchant_id or k.kind <> t.kind or (k.closed_in_cell and t.revoked_at is null)`,
  },
  {
    id: 'AC4',
    says: 'a merchant of this cell is the one of the directory, under the handle that somebody last gave it; its former ones were its own',
    counted: 'select count(*) from merchants',
    // While a handle is changed, and after a crash in it, the cell has the new one, which nobody has in the directory.
    offenders: `select t.id as merchant_id, 'live'::mode as mode, t.public_id as offender from merchants t
        left join ${fromDirectory('merchants', 'id, public_id, tag, cell, handle')} d on d.id = t.id
        left join (${AUDITED_HANDLES}) said on said.merchant_id = t.id
        where (d.public_id, d.tag, d.cell) is distinct from (t.public_id, t.tag, $3) or said.handle <> d.handle
          or t.handle <> d.handle and t.handle in ${fromDirectory('merchants', 'handle')}
      union all
      select t.merchant_id, 'live', format('the former handle %s', t.handle) from directory.former_handles t ${OF_THIS_CELL}
        where not exists (select from directory.audit a
          where (a.action, a.merchant_id, a.before->>'handle') = ('merchant.handle', t.merchant_id, t.handle))`,
  },
  {
    id: 'AC5',
    says: 'cashiers refund up to the limit that an owner last set',
    counted: `select count(*) from directory.merchant_rules t ${OF_THIS_CELL}`,
    offenders: `select t.merchant_id, 'live'::mode as mode, format('the refund limit of %s', d.public_id) as offender
      from directory.merchant_rules t ${OF_THIS_CELL}
      left join (select distinct on (a.merchant_id) a.merchant_id, (a.after->>'limit')::bigint as most from directory.audit a
        where ${hasAction('people.limit')} order by a.merchant_id, a.id desc) said on said.merchant_id = t.merchant_id
      where t.cashier_refund_limit <> coalesce(said.most, 0)`,
  },
]
