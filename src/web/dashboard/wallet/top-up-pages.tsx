import { findTopUp, listTopUps } from '../../../payments/top-ups/find-top-ups.ts'
import { requestTopUp } from '../../../payments/top-ups/request-top-up.ts'
import { presentTopUp, type TopUp } from '../../../payments/top-ups/top-up.ts'
import { notFound } from '../../../platform/refusal.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormSpec, type FormState, getAmount } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, Money, Note, OutsideText, RawJson, Section, Status, Time } from '../../parts/parts.tsx'
import { getOnce } from '../../parts/routes/route.ts'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { WALLET } from '../texts/wallet.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { WalletTabs } from './wallet-tabs.tsx'

const { topUps: words } = WALLET
const PATH = '/wallet/top-ups'

const REQUEST: FormSpec = {
  path: `${PATH}/request`,
  action: 'top-up.request',
  fields: [
    { name: 'amount', label: words.amount, kind: 'amount' },
    { name: 'phone', label: words.phone, kind: 'phone' },
  ],
  submit: words.submit,
  once: true,
}

const COLUMNS: readonly ListColumn<TopUp>[] = [
  { title: words.columns.id, cell: ({ id }) => id },
  { title: words.columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: words.columns.phone, cell: ({ phone }) => <OutsideText text={phone} /> },
  { title: words.columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: words.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

async function showTopUps(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const rows = visit.mode === 'test' ? [] : await listTopUps(visit.app, visit.merchant.id)
  return pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <WalletTabs visit={visit} at={PATH} />
      <p>{words.lead}</p>
      {visit.mode === 'test' ? <Note>{words.inTest}</Note> : <FormBox of={REQUEST} visit={visit} state={state} />}
      {rows.length === 0 ? (
        <Empty title={words.empty} />
      ) : (
        <Table caption={words.title} rows={rows} columns={COLUMNS} href={({ id }) => visit.to(`${PATH}/${id}`)} />
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

const isOpen = ({ status }: TopUp) => status === 'pending' || status === 'authorized'

async function showTopUp(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, merchant, mode, params } = visit
  const topUp = mode === 'test' ? null : await findTopUp(app, merchant.id, params.id ?? '')
  if (topUp === null) throw notFound('top-up')
  const open = isOpen(topUp)
  const story = <TopUpStory visit={visit} topUp={topUp} />
  if (visit.part === 'story') return { kind: 'part', body: story, final: !open }
  return pageReply(
    topUp.id,
    <>
      <div class="top">
        <h1>
          <Money amount={topUp.amount} />
        </h1>
        <code>{topUp.id}</code>
      </div>
      {story}
      <RawJson value={presentTopUp(topUp)} />
    </>,
    open ? { refreshSeconds: 5 } : {},
  )
}

function TopUpStory({ visit, topUp }: { visit: DashboardVisit; topUp: TopUp }) {
  const details = words.details
  const open = isOpen(topUp)
  const live = open ? { 'data-live': addressWith(visit.to(`${PATH}/${topUp.id}`), { part: 'story' }) } : {}
  return (
    <div {...live}>
      <Section title={words.columns.id} aside={<Status word={topUp.status} />}>
        {open && <Note tone="open">{details.underWay}</Note>}
        <Facts
          facts={[
            [details.amount, <Money amount={topUp.amount} />],
            [details.phone, <OutsideText text={topUp.phone} />],
            topUp.failureReason !== null && [details.failure, topUp.failureReason.replaceAll('_', ' ')],
            [details.sms, <OutsideText text={topUp.railTransactionId} />],
            [details.rail, <OutsideText text={topUp.railReference} />],
            [details.created, <Time at={topUp.createdAt} />],
            [details.completed, <Time at={topUp.completedAt} />],
          ]}
        />
      </Section>
    </div>
  )
}

/** Top-ups: the form that asks a phone, the list, one with its status. */
export const TOP_UP_ROUTES: readonly DashboardRoute[] = [
  page(PATH, (visit) => showTopUps(visit), 'payouts.read'),
  page(`${PATH}/:id`, showTopUp, 'payouts.read'),
  form(REQUEST, {
    async submit(visit, { phone = '', ...values }) {
      const { app, caller, merchant } = visit
      const input = { merchantId: merchant.id, amount: getAmount(values, 'amount'), phone }
      const { topUp } = await requestTopUp(app, caller, { ...input, key: getOnce(visit).key })
      return redirectDone(visit.to(`${PATH}/${topUp.id}`), words.done)
    },
    showRefused: showTopUps,
  }),
]
