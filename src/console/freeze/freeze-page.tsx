import type { Approval } from '../../approvals/approval.ts'
import { approvalsAbout } from '../../approvals/find-approvals.ts'
import { askUnfreezeMerchant, askUnfreezePlatform, PLATFORM } from '../../approvals/unfreeze.ts'
import {
  type FrozenMerchant,
  freezePlatform,
  frozenMerchants,
  type PlatformFreeze,
  platformFreeze,
} from '../../merchants/payout-freeze.ts'
import { findMerchant } from '../../merchants/set-merchant.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Empty, Facts, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { APPROVALS, FREEZE as TEXTS } from '../texts/approvals.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { facts, columns } = TEXTS
const PATH = '/freeze'
const REASON = { name: 'reason', label: TEXTS.reason, most: 500 } as const

const FREEZE: FormSpec = {
  ...{ path: PATH, action: 'payouts.freeze', fields: [REASON], submit: TEXTS.freeze },
  danger: true,
}
const ASK: FormSpec = {
  ...{ path: '/freeze/ask', action: 'payouts.unfreeze', fields: [REASON], submit: TEXTS.ask },
  once: true,
}
const ASK_MERCHANT: FormSpec = { ...ASK, path: '/freeze/:id/ask', plain: true }

/** Shows whether live payouts of the platform are frozen, and which merchants are. */
async function showFreeze(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway } = visit
  const [freeze, frozen, approvals] = await Promise.all([
    platformFreeze(gateway.directory),
    frozenMerchants(gateway),
    approvalsAbout({ db: gateway.directory, merchantId: 0 }, PLATFORM),
  ])
  const waiting = approvals.find(({ status, expiresAt }) => status === 'waiting' && expiresAt > visit.now)
  return shownPage(
    TEXTS.title,
    <>
      <h1>{TEXTS.title}</h1>
      <p class="quiet">{TEXTS.lead}</p>
      <Section title={TEXTS.platform}>
        {freeze.reason === null ? (
          <Running {...{ visit, freeze, state }} />
        ) : (
          <Frozen {...{ visit, freeze, state, waiting }} />
        )}
      </Section>
      <Section title={TEXTS.merchants}>
        {frozen.length === 0 ? (
          <Empty title={TEXTS.none}>
            <p>{TEXTS.noneSays}</p>
          </Empty>
        ) : (
          <Table caption={TEXTS.merchants} rows={frozen} columns={frozenColumns(visit, state)} />
        )}
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

type PlatformProps = { visit: ConsoleVisit; freeze: PlatformFreeze; state: FormState | null }

const Running = ({ visit, freeze, state }: PlatformProps) => (
  <>
    <p>
      <Status word={TEXTS.runs} tone="good" />
    </p>
    {freeze.changedAt !== null && (
      <Facts
        facts={[
          [facts.lastChange, <Time at={freeze.changedAt} />],
          [facts.lastBy, <Said text={freeze.changedBy} />],
        ]}
      />
    )}
    <FormBox of={FREEZE} visit={visit} state={state}>
      <p class="hint">{TEXTS.freezeSays}</p>
    </FormBox>
  </>
)

const Frozen = ({ visit, freeze, state, waiting }: PlatformProps & { waiting: Approval | undefined }) => (
  <>
    <Note tone="warn">
      <strong>{TEXTS.frozen}</strong>
    </Note>
    <Facts
      facts={[
        [facts.reason, <Said text={freeze.reason} />],
        [facts.since, <Time at={freeze.changedAt} />],
        [facts.by, <Said text={freeze.changedBy} />],
      ]}
    />
    {waiting === undefined ? (
      <FormBox of={ASK} visit={visit} state={state}>
        <p class="hint">{TEXTS.askSays}</p>
      </FormBox>
    ) : (
      <p>
        {TEXTS.waits} <a href={visit.to(`/approvals/${waiting.id}`)}>{waiting.id}</a>
      </p>
    )}
  </>
)

const frozenColumns = (visit: ConsoleVisit, state: FormState | null): readonly Column<FrozenMerchant>[] => [
  {
    title: columns.merchant,
    cell: ({ publicId, name }) => (
      <a href={visit.to(`/merchants/${publicId}`)}>
        <Said text={name} />
      </a>
    ),
  },
  { title: columns.reason, cell: ({ reason }) => <Said text={reason} /> },
  { title: columns.since, cell: ({ since }) => <Time at={since} /> },
  {
    title: columns.act,
    cell: ({ publicId }) => (
      <FormBox
        of={ASK_MERCHANT}
        visit={visit}
        state={visit.params.id === publicId ? state : null}
        params={{ id: publicId }}
        compact
      />
    ),
  },
]

/** The page of freezes. One person may stop live payouts; it takes two to let them run again. */
export const FREEZE_ROUTES: readonly ConsoleRoute[] = [
  page(PATH, (visit) => showFreeze(visit)),
  form(FREEZE, {
    async submit({ gateway, caller, to }, { reason = '' }) {
      await freezePlatform(gateway, caller, reason)
      return doneTo(to(PATH), TEXTS.done)
    },
    again: showFreeze,
  }),
  form(ASK, {
    async submit({ gateway, caller, to }, { reason = '' }) {
      const { id } = await askUnfreezePlatform(gateway, caller, reason)
      return doneTo(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    again: showFreeze,
  }),
  form(ASK_MERCHANT, {
    async submit({ gateway, caller, params, to }, { reason = '' }) {
      const { app, merchant } = await findMerchant(gateway, params.id ?? '')
      const { id } = await askUnfreezeMerchant(app, caller, { merchant, reason })
      return doneTo(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    again: showFreeze,
  }),
]
