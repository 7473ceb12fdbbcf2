import {
  type FrozenMerchant,
  listFrozenMerchants,
  type PlatformFreeze,
  readPlatformFreeze,
} from '../../../merchants/account/payout-freeze.ts'
import { type Approval, isWaiting } from '../../../operations/approvals/approval.ts'
import { readApprovalsAbout } from '../../../operations/approvals/find-approvals.ts'
import { PLATFORM_SUBJECT } from '../../../operations/approvals/unfreeze.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { FREEZE_TEXTS as TEXTS } from '../texts/approvals.ts'
import type { ConsoleVisit } from '../visit.ts'

const { facts, columns } = TEXTS
export const FREEZE_PATH = '/freeze'
const REASON_FIELD = { name: 'reason', label: TEXTS.reason, maxLength: 500 } as const satisfies FormField

export const FREEZE_FORM: FormSpec = {
  ...{ path: FREEZE_PATH, action: 'payouts.freeze', fields: [REASON_FIELD], submit: TEXTS.freeze },
  danger: true,
}
export const ASK_UNFREEZE_FORM: FormSpec = {
  ...{ path: '/freeze/ask', action: 'payouts.unfreeze', fields: [REASON_FIELD], submit: TEXTS.ask },
  once: true,
}
export const ASK_UNFREEZE_MERCHANT_FORM: FormSpec = { ...ASK_UNFREEZE_FORM, path: '/freeze/:id/ask', plain: true }

/** Shows whether live payouts of the platform are frozen, and which merchants are. */
export async function showFreeze(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway } = visit
  const [freeze, frozen, approvals] = await Promise.all([
    readPlatformFreeze(gateway.directory),
    listFrozenMerchants(gateway),
    readApprovalsAbout({ db: gateway.directory, merchantId: 0 }, PLATFORM_SUBJECT),
  ])
  const waiting = approvals.find((approval) => isWaiting(approval, visit.now))
  return pageReply(
    TEXTS.title,
    <>
      <h1>{TEXTS.title}</h1>
      <p class="quiet">{TEXTS.lead}</p>
      <Section title={TEXTS.platform}>
        {freeze.reason === null ? (
          <RunningPlatform {...{ visit, freeze, state }} />
        ) : (
          <FrozenPlatform {...{ visit, freeze, state, waiting }} />
        )}
      </Section>
      <Section title={TEXTS.merchants}>
        {frozen.length === 0 ? (
          <Empty title={TEXTS.none}>
            <p>{TEXTS.noneSays}</p>
          </Empty>
        ) : (
          <Table caption={TEXTS.merchants} rows={frozen} columns={buildMerchantColumns(visit, state)} />
        )}
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

type PlatformProps = { visit: ConsoleVisit; freeze: PlatformFreeze; state: FormState | null }

const RunningPlatform = ({ visit, freeze, state }: PlatformProps) => (
  <>
    <p>
      <Status word={TEXTS.runs} tone="good" />
    </p>
    {freeze.changedAt !== null && (
      <Facts
        facts={[
          [facts.lastChange, <Time at={freeze.changedAt} />],
          [facts.lastBy, <OutsideText text={freeze.changedBy} />],
        ]}
      />
    )}
    <FormBox of={FREEZE_FORM} visit={visit} state={state}>
      <p class="hint">{TEXTS.freezeSays}</p>
    </FormBox>
  </>
)

const FrozenPlatform = ({ visit, freeze, state, waiting }: PlatformProps & { waiting: Approval | undefined }) => (
  <>
    <Note tone="warn">
      <strong>{TEXTS.frozen}</strong>
    </Note>
    <Facts
      facts={[
        [facts.reason, <OutsideText text={freeze.reason} />],
        [facts.since, <Time at={freeze.changedAt} />],
        [facts.by, <OutsideText text={freeze.changedBy} />],
      ]}
    />
    {waiting === undefined ? (
      <FormBox of={ASK_UNFREEZE_FORM} visit={visit} state={state}>
        <p class="hint">{TEXTS.askSays}</p>
      </FormBox>
    ) : (
      <p>
        {TEXTS.waits} <a href={visit.to(`/approvals/${waiting.id}`)}>{waiting.id}</a>
      </p>
    )}
  </>
)

const buildMerchantColumns = (visit: ConsoleVisit, state: FormState | null): readonly ListColumn<FrozenMerchant>[] => [
  {
    title: columns.merchant,
    cell: ({ publicId, name }) => (
      <a href={visit.to(`/merchants/${publicId}`)}>
        <OutsideText text={name} />
      </a>
    ),
  },
  column.text(columns.reason, ({ reason }) => reason),
  column.time(columns.since, ({ since }) => since),
  {
    title: columns.act,
    cell: ({ publicId }) => (
      <FormBox
        of={ASK_UNFREEZE_MERCHANT_FORM}
        visit={visit}
        state={visit.params.id === publicId ? state : null}
        params={{ id: publicId }}
        compact
      />
    ),
  },
]
