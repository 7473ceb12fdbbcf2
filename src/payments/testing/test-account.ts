import { Type } from 'typebox'
import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListQuery, parseListWindow, readListPage } from '../../api/http/lists/lists.ts'
import { MAX_MERCHANT_NAME_CHARACTERS } from '../../merchants/account/merchant-draft.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'

/** How many businesses for tests of one merchant are open at a time, and how many it makes in any 24 hours. */
export const MAX_OPEN_TEST_ACCOUNTS = 20
export const MAX_TEST_ACCOUNTS_A_DAY = 200

/** A business that a merchant made for its tests, as it lies in its cell. `merchantId`: its own number among merchants. */
export type TestAccount = {
  id: string
  merchantId: number
  name: string
  createdAt: Date
  expiresAt: Date
  closedAt: Date | null
}

export const TestAccountCreateShape = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: MAX_MERCHANT_NAME_CHARACTERS, default: 'Test business' },
        description: 'stands on its payment pages',
        examples: ['CI run 4711'],
      }),
    ),
  },
  { $id: 'TestAccountCreate', examples: [{ name: 'CI run 4711' }] },
)

export const TestAccountShape = Type.Object(
  {
    object: Type.Literal('test_account'),
    id: Type.String({ description: 'starts with `mer_`' }),
    name: Type.String(),
    status: Type.Enum(['open', 'closed'], {
      $id: 'TestAccountStatus',
      description: '`closed`: its day is over or it was removed, and its keys are refused',
    }),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time', description: 'from when on its keys are refused, 24 hours later' }),
  },
  { $id: 'TestAccount' },
)

export const TestAccountWithKeysShape = Type.Object(
  {
    ...TestAccountShape.properties,
    keys: Type.Object(
      {
        full: Type.String({ description: 'starts with `sk_test_`' }),
        collections: Type.String({ description: 'starts with `sk_test_col_`; moves no money out' }),
      },
      { $id: 'TestAccountKeys', description: 'they are shown here alone' },
    ),
  },
  { $id: 'TestAccountWithKeys' },
)

const COLUMNS = `m.public_id as id, m.id as "merchantId", m.name, m.created_at as "createdAt", m.expires_at as "expiresAt", m.closed_at as "closedAt"`
const FIND = statement<TestAccount>(
  'test account',
  `select ${COLUMNS} from merchants m where m.public_id = $1 and m.parent_id = $2 and $3::mode = 'test'`,
)
const LIST = listStatement<TestAccount>(
  'test accounts',
  `select ${COLUMNS} from merchants m
   where m.parent_id = :merchantId and :mode::mode = 'test' and m.created_at >= :bound
     and (m.created_at, m.public_id) < (:cursorAt, :cursorId)
   order by m.created_at desc, m.public_id desc limit :limit`,
)

/** Finds a business that the caller has made for its tests. Throws 404. */
export async function getTestAccount(app: App, { merchantId, mode }: Caller, id: string): Promise<TestAccount> {
  const [account] = await app.db.query(FIND, [id, merchantId, mode])
  if (account === undefined) throw notFound('test account')
  return account
}

/** Lists the businesses that the caller has made for its tests, newest first, also those that are closed. Throws 400. */
export async function listTestAccounts(app: App, caller: Caller, query: ListQuery): Promise<ListPage<TestAccount>> {
  const window = parseListWindow(query)
  const find = async (id: string) => (await app.db.query(FIND, [id, caller.merchantId, caller.mode]))[0] ?? null
  return readListPage(app, caller, { window, statement: LIST, find })
}

export const presentTestAccount = (account: Omit<TestAccount, 'merchantId'>, { clock }: Pick<App, 'clock'>) => ({
  object: 'test_account',
  id: account.id,
  name: account.name,
  status: account.closedAt === null && account.expiresAt > clock.now() ? 'open' : 'closed',
  created_at: account.createdAt.toISOString(),
  expires_at: account.expiresAt.toISOString(),
})
