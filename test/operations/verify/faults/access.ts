import { type Fault, KEY, PERSON, publicIdOf } from '../names.ts'
import { each, plant } from '../planting.ts'

const at3 = (person: string) => `${person} at ${publicIdOf(3)}`
const idOf = (person: string) => `(select id from directory.people where public_id = '${person}')`
const member = (person: string, to: string) =>
  `update directory.memberships set ${to} where person_id = ${idOf(person)}`
const person = (publicId: string, to: string) => `update directory.people set ${to} where public_id = '${publicId}'`
const key = (id: string, to: string) => `update directory.api_keys set ${to} where id = '${id}'`
const directory3 = (to: string) => `update directory.merchants set ${to} where id = 3`

export const ACCESS_FAULTS: readonly Fault[] = [
  ...plant('AC1', [
    ...each([PERSON.cashier, PERSON.promoted, PERSON.recorded], (one) => [
      at3(one),
      `${one} made an owner by nobody`,
      member(one, `role = 'owner'`),
    ]),
    [at3(PERSON.owner), 'an owner made a viewer by nobody', member(PERSON.owner, `role = 'viewer'`)],
    [
      at3(PERSON.risk),
      'somebody whom nobody let in',
      `insert into directory.memberships (person_id, merchant_id, role, created_at)
      select id, 3, 'owner', '2026-03-05T08:00:00Z' from directory.people where public_id = '${PERSON.risk}'`,
    ],
    [
      at3(PERSON.risk),
      'somebody with the moment at which another one was let in',
      `insert into directory.memberships (person_id, merchant_id, role, created_at)
      select ${idOf(PERSON.risk)}, 3, role, created_at from directory.memberships where person_id = ${idOf(PERSON.owner)}`,
    ],
    [
      at3(PERSON.promoted),
      'somebody who was removed and is back',
      `insert into directory.audit (at, actor, action, merchant_id, subject, before)
      values ('2026-03-05T08:00:00Z', 'tester', 'people.remove', 3, '${PERSON.promoted}', '{"role": "accountant"}')`,
    ],
  ]),
  ...plant('AC2', [
    ...each([PERSON.risk, PERSON.support], (one) => [
      one,
      `${one} made an admin by nobody`,
      person(one, `operator_role = 'admin'`),
    ]),
    [PERSON.gone, 'an operator who was removed and is back', person(PERSON.gone, 'closed_at = null')],
    [
      PERSON.promoted,
      'somebody of a merchant who works on the console',
      person(PERSON.promoted, `realm = 'operator', operator_role = 'admin'`),
    ],
  ]),
  ...plant('AC3', [
    ...each([KEY.first, KEY.newest, KEY.recorded], (id) => [
      id,
      `${id} of another kind`,
      key(id, `kind = case kind when 'live' then 'test' else 'live' end`),
    ]),
    [KEY.first, 'a key found by another secret', key(KEY.first, `hash = sha256('stolen')`)],
    [KEY.newest, 'a key of another merchant', key(KEY.newest, 'merchant_id = 1')],
    ...each([KEY.replaced, KEY.ended], (id) => [id, `${id} that works again`, key(id, 'revoked_at = null')]),
    [KEY.first, 'a key that nobody has ended', key(KEY.first, 'revoked_at = created_at')],
    [
      'key_823d95a9a728f14d626df9a8',
      'a key that nobody has made',
      `insert into directory.api_keys (hash, merchant_id, id, kind, created_at)
      values (sha256('stolen'), 3, 'key_' || left(encode(sha256('stolen'), 'hex'), 24), 'live', '2026-03-01T08:00:00Z')`,
    ],
    [
      KEY.ended,
      'an ended key that still signs callbacks',
      `update directory.api_keys set closed_in_cell = true where id = '${KEY.ended}';
      insert into api_keys (merchant_id, id, kind, last4, ciphertext, created_at)
      select merchant_id, id, kind, 'last', 'x', created_at from directory.api_keys where id = '${KEY.ended}'`,
    ],
  ]),
  ...plant('AC4', [
    [publicIdOf(3), 'a handle that nobody has given', directory3(`handle = 'thief'`)],
    [
      publicIdOf(3),
      'two merchants whose handles are exchanged',
      `${directory3(`handle = 'between'`)}; update directory.merchants set handle = 'shop-3' where id = 2;
      ${directory3(`handle = 'shop-2'`)}`,
    ],
    [publicIdOf(3), 'the tag of another merchant', directory3(`tag = 'thief'`)],
    [publicIdOf(3), 'a handle of another merchant in the cell', `update merchants set handle = 'shop-2' where id = 3`],
    [
      'the former handle shop-older',
      'a former handle that was never theirs',
      `insert into directory.former_handles (handle, merchant_id, left_at) values ('shop-older', 3, '2026-03-01T08:00:00Z')`,
    ],
  ]),
  ...plant('AC5', [
    [
      `the refund limit of ${publicIdOf(3)}`,
      'a limit of refunds that nobody has set',
      'update directory.merchant_rules set cashier_refund_limit = 1000000 where merchant_id = 3',
    ],
  ]),
]
