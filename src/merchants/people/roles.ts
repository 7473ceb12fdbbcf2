import type { MerchantRole, StaffRole } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'

// What a person has begun ends with its role: code that completes it later asks here whether the role is still there.

type DirectoryAccess = Pick<Gateway, 'directory'>
export type MembershipKey = { merchantId: number; personId: number }

const FIND_ROLES = statement<MembershipKey & { role: MerchantRole | null }>(
  'roles of people at merchants',
  `select n.merchant_id as "merchantId", p.id as "personId", w.role
   from unnest($1::bigint[], $2::bigint[]) as n (merchant_id, person_id) join people p on p.id = n.person_id and p.realm = 'merchant'
     left join memberships w on w.merchant_id = n.merchant_id and w.person_id = p.id and p.closed_at is null`,
)
const FIND_LAST_GIVEN = statement<{ since: Date | null }>(
  'last role given',
  `select max(role_since) as since from memberships where merchant_id = $1 and person_id = any($2::bigint[]) and role_by is not null`,
)
const FIND_STAFF_ROLES = statement<{ personId: number; role: StaffRole | null }>(
  'roles of operators',
  `select id as "personId", case when closed_at is null then operator_role end as role from people
   where realm = 'operator' and id = any($1::bigint[])`,
)

/** Returns the work of people who do not have one of these roles at its merchant any more. People unknown to the directory are not judged. */
export async function filterWithoutRole<Work extends MembershipKey>(
  { directory }: DirectoryAccess,
  work: readonly Work[],
  roles: readonly MerchantRole[],
): Promise<Work[]> {
  if (work.length === 0) return []
  const columns = [work.map(({ merchantId }) => merchantId), work.map(({ personId }) => personId)]
  const rows = await directory.query(FIND_ROLES, columns)
  const gone = new Set(rows.filter(({ role }) => role === null || !roles.includes(role)).map(formatMembershipKey))
  return work.filter((work) => gone.has(formatMembershipKey(work)))
}

/** How long the giver and the receiver of a role count as one person where two are needed (reliability.md A75). */
const FRESH_ROLE_MS = 24 * 3_600_000

/** Reads until when these people count as one person at this merchant, because one of them got a role there lately; null: they count apart. */
export async function readFreshRoleEnd(
  { directory, clock }: Pick<Gateway, 'directory' | 'clock'>,
  merchantId: number,
  people: readonly number[],
): Promise<Date | null> {
  const [row] = await directory.query(FIND_LAST_GIVEN, [merchantId, people])
  const until = row?.since == null ? null : addMs(row.since, FRESH_ROLE_MS)
  return until !== null && until > clock.now() ? until : null
}

const formatMembershipKey = ({ merchantId, personId }: MembershipKey) => `${merchantId} ${personId}`

/** Reads the current roles of these operators; null: removed. People unknown to the directory have no entry. */
export async function readStaffRoles(
  { directory }: DirectoryAccess,
  people: readonly number[],
): Promise<ReadonlyMap<number, StaffRole | null>> {
  const rows = people.length === 0 ? [] : await directory.query(FIND_STAFF_ROLES, [people])
  return new Map(rows.map(({ personId, role }) => [personId, role]))
}
