import { mayDo } from '../../../api/access/allow.ts'
import { listNotices, type Notice } from '../../../reports/notices/notice.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Money, Note, Section, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { PARTS } from '../../parts/texts.ts'
import { addressIn } from '../addresses.ts'
import { DEVICE_PATH } from '../device/device-path.ts'
import { isReachable } from '../hidden-from-staff.ts'
import { DEVICE } from '../texts/device.ts'
import { NOTICES } from '../texts/notices.ts'
import type { DashboardVisit } from '../visit.ts'
import { renderMonthSwitch } from './month-switch.tsx'
import { NOTICES_PATH } from './notices-path.ts'

const { columns, add } = NOTICES

export const ADD_NOTICE: FormSpec = {
  path: `${NOTICES_PATH}/add`,
  action: 'notice.set',
  fields: [
    { name: 'email', label: add.email, kind: 'email', maxLength: 254 },
    { name: 'above', label: add.above, kind: 'amount', hint: add.aboveHint, optional: true },
    { name: 'failures', label: add.failures, kind: 'check' },
    { name: 'close', label: add.close, kind: 'check' },
  ],
  submit: add.submit,
}
export const STOP_NOTICE: FormSpec = {
  path: `${NOTICES_PATH}/:id/stop`,
  action: 'notice.stop',
  fields: [],
  submit: NOTICES.stop,
  danger: true,
}

const columnsFor = (visit: DashboardVisit): readonly ListColumn<Notice>[] => [
  column.text(columns.email, ({ email }) => email),
  {
    title: columns.above,
    cell: ({ paymentsAbove }) => (paymentsAbove === null ? PARTS.none : <Money amount={paymentsAbove} />),
    figures: true,
  },
  { title: columns.failures, cell: ({ failures }) => (failures ? NOTICES.yes : NOTICES.no) },
  { title: columns.close, cell: ({ dailyClose }) => (dailyClose ? NOTICES.yes : NOTICES.no) },
  {
    title: columns.state,
    cell: ({ confirmedAt }) => (
      <Status
        word={confirmedAt === null ? NOTICES.waiting : NOTICES.agreed}
        tone={confirmedAt === null ? 'open' : 'good'}
      />
    ),
  },
  ...(mayDo(visit.caller, 'notice.stop')
    ? [
        {
          title: columns.act,
          cell: ({ id }: Notice) => <FormBox of={STOP_NOTICE} visit={visit} params={{ id }} compact />,
        },
      ]
    : []),
]

export async function showNotices(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const notices = await listNotices(visit.app, visit.merchant.id)
  return pageReply(
    NOTICES.title,
    <>
      <h1>{NOTICES.title}</h1>
      {isReachable(visit, DEVICE_PATH) && (
        <p>
          <a class="button plain" href={visit.to(DEVICE_PATH)}>
            {DEVICE.link}
          </a>
        </p>
      )}
      {mayDo(visit.caller, 'month-close.set') && (await renderMonthSwitch(visit, state))}
      <p>{NOTICES.lead}</p>
      {notices.length === 0 ? (
        <Empty title={NOTICES.empty.title}>
          <p>{NOTICES.empty.says}</p>
        </Empty>
      ) : (
        <Table caption={NOTICES.title} rows={notices} columns={columnsFor(visit)} />
      )}
      {mayDo(visit.caller, 'notice.set') && (
        <Section title={add.title} id="add">
          {visit.mode === 'live' ? (
            <FormBox of={ADD_NOTICE} visit={visit} state={state} />
          ) : (
            <Note>
              {NOTICES.liveOnly} <a href={addressIn('live', `${NOTICES_PATH}#add`)}>{NOTICES.toLive}</a>
            </Note>
          )}
          <Note>{NOTICES.phones}</Note>
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}
