import type { ListedKey } from '../../../merchants/account/list-keys.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import { buildKeyKindChoices, NEW_KEY, readKeysInMode } from './key-forms.ts'

const { keys, kinds, create } = DEVELOPERS
const { columns } = keys

const COLUMNS: readonly ListColumn<ListedKey>[] = [
  {
    title: columns.name,
    cell: ({ name, last4, kind }) => (
      <>
        <OutsideText text={name ?? kinds[kind]} /> <code>{keys.of(last4)}</code>
      </>
    ),
    at: 'who',
  },
  { title: columns.kind, cell: ({ kind }) => kinds[kind], at: 'what' },
  column.text(columns.maker, ({ createdBy }) => createdBy ?? keys.atSignUp),
  column.day(columns.made, ({ createdAt }) => createdAt),
  { title: columns.used, cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} />, at: 'when' },
  { title: columns.status, cell: (key) => <KeyStatus of={key} />, at: 'state' },
]

/** When a key was last used, or that it never was. */
export const LastUsed = ({ at }: { at: Date | null }) =>
  at === null ? <span class="quiet">{keys.neverUsed}</span> : <Time at={at} />

/** Whether a key is in force. */
export const KeyStatus = ({ of: { revokedAt } }: { of: ListedKey }) => (
  <Status word={revokedAt === null ? keys.inForce : keys.revoked} tone={revokedAt === null ? 'good' : 'quiet'} />
)

/** Shows the keys of the mode, and the form that makes another. */
export async function showKeys(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const keysInMode = await readKeysInMode(visit)
  const inForce = keysInMode.filter(({ revokedAt }) => revokedAt === null)
  const revoked = keysInMode.filter(({ revokedAt }) => revokedAt !== null).reverse()
  const href = ({ id }: ListedKey) => visit.to(`/developers/keys/${id}`)
  return pageReply(
    keys.title,
    <DeveloperArea visit={visit} at="/developers" title={keys.title}>
      <p>{keys.lead(visit.mode)}</p>
      <Table caption={keys.title} rows={inForce} columns={COLUMNS} href={href} />
      <Section title={create.title} id="new">
        <p class="hint">{create.says}</p>
        <FormBox
          of={NEW_KEY}
          visit={visit}
          state={state}
          values={{ kind: buildKeyKindChoices(visit)[0]?.value ?? '' }}
          choices={{ kind: buildKeyKindChoices(visit) }}
        />
      </Section>
      {revoked.length > 0 && (
        <details>
          <summary>{keys.earlier}</summary>
          <Table caption={keys.earlier} rows={revoked} columns={COLUMNS} href={href} />
        </details>
      )}
    </DeveloperArea>,
    { status: state?.status ?? 200 },
  )
}
