import { findTopUp, listTopUps } from '../../../payments/top-ups/find-top-ups.ts'
import { presentTopUp, type TopUp } from '../../../payments/top-ups/top-up.ts'
import { notFound } from '../../../platform/refusal.ts'
import { formatPhone } from '../../../platform/text/phone.ts'
import { failureWords } from '../../../reports/words/failures.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import {
  Empty,
  Facts,
  Money,
  Note,
  OutsideText,
  PhoneNumber,
  RawJson,
  Section,
  State,
  Time,
} from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { NUMBER_IS } from '../operators/other-operator.ts'
import { Headline, isUnderWay, LiveStory, storyPage } from '../story/live-story.tsx'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { WalletTabs } from './wallet-tabs.tsx'

const { topUps: words } = WALLET
export const TOP_UPS_PATH = '/wallet/top-ups'

export const REQUEST_TOP_UP: FormSpec = {
  path: `${TOP_UPS_PATH}/request`,
  action: 'top-up.request',
  fields: [
    { name: 'amount', label: words.amount, kind: 'amount' },
    { name: 'phone', label: words.phone, kind: 'wallet' },
  ],
  submit: words.submit,
  goOn: NUMBER_IS,
  once: true,
}

const COLUMNS: readonly ListColumn<TopUp>[] = [
  column.person(words.columns.phone, ({ phone }) => ({ phone, name: null })),
  column.amount(words.columns.amount, ({ amount }) => amount),
  column.state(words.columns.status, 'topUp', (topUp) => topUp),
  column.when(words.columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

export async function showTopUps(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const rows = visit.mode === 'test' ? [] : await listTopUps(visit.app, visit.merchant.id)
  return pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <WalletTabs visit={visit} at={TOP_UPS_PATH} />
      <p>{words.lead}</p>
      {visit.mode === 'test' ? (
        <Note>{words.inTest}</Note>
      ) : (
        <FormBox of={REQUEST_TOP_UP} visit={visit} state={state} />
      )}
      {rows.length === 0 ? (
        <Empty title={words.empty} />
      ) : (
        <Table
          caption={words.title}
          rows={rows}
          columns={COLUMNS}
          href={({ id }) => visit.to(`${TOP_UPS_PATH}/${id}`)}
        />
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

export async function showTopUp(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, merchant, mode, params } = visit
  const topUp = mode === 'test' ? null : await findTopUp(app, merchant.id, params.id ?? '')
  if (topUp === null) throw notFound('top-up')
  return storyPage(visit, {
    title: `${words.title}, ${formatShillings(topUp.amount)}`,
    head: <Headline amount={topUp.amount} id={topUp.id} about={[formatPhone(topUp.phone)]} />,
    ...{ story: <TopUpStory visit={visit} topUp={topUp} />, live: isUnderWay(topUp) },
    below: <RawJson value={presentTopUp(topUp)} />,
  })
}

function TopUpStory({ visit, topUp }: { visit: DashboardVisit; topUp: TopUp }) {
  const details = words.details
  const open = isUnderWay(topUp)
  return (
    <LiveStory visit={visit} path={`${TOP_UPS_PATH}/${topUp.id}`} live={open}>
      <Section title={words.columns.id} aside={<State of="topUp" state={topUp.status} />}>
        {open && <Note tone="open">{details.underWay}</Note>}
        <Facts
          facts={[
            [details.amount, <Money amount={topUp.amount} />],
            [details.phone, <PhoneNumber phone={topUp.phone} />],
            topUp.failureReason !== null && [details.failure, failureWords('topUp', topUp.failureReason)?.brief],
            [details.sms, <OutsideText text={topUp.railTransactionId} />],
            [details.rail, <OutsideText text={topUp.railReference} />],
            [details.created, <Time at={topUp.createdAt} />],
            [details.completed, <Time at={topUp.completedAt} />],
          ]}
        />
      </Section>
    </LiveStory>
  )
}
