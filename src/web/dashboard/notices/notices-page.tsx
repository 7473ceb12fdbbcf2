import { mayDo } from '../../../api/access/allow.ts'
import { addNotice, listNotices, type Notice, stopNotice } from '../../../reports/notices/notice.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormSpec, type FormState, getAmount } from '../../parts/forms/form-spec.ts'
import { Empty, Money, Note, OutsideText, Section, Status } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { PARTS } from '../../parts/texts.ts'
import { addressIn } from '../addresses.ts'
import { NOTICES } from '../texts/notices.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'

export const NOTICES_PATH = '/settings/notifications'
const { columns, add } = NOTICES

const ADD: FormSpec = {
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
const STOP: FormSpec = {
  path: `${NOTICES_PATH}/:id/stop`,
  action: 'notice.stop',
  fields: [],
  submit: NOTICES.stop,
  danger: true,
}

const columnsFor = (visit: DashboardVisit): readonly ListColumn<Notice>[] => [
  { title: columns.email, cell: ({ email }) => <OutsideText text={email} /> },
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
          cell: ({ id }: Notice) => <FormBox of={STOP} visit={visit} params={{ id }} compact />,
        },
      ]
    : []),
]

async function showNotices(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const notices = await listNotices(visit.app, visit.merchant.id)
  return pageReply(
    NOTICES.title,
    <>
      <h1>{NOTICES.title}</h1>
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
            <FormBox of={ADD} visit={visit} state={state} />
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

/** Settings, Notifications: the people without a login who get mails about payments. */
export const NOTICE_ROUTES: readonly DashboardRoute[] = [
  page(NOTICES_PATH, (visit) => showNotices(visit)),
  form(ADD, {
    async submit({ app, caller, merchant, to }, values) {
      const email = values.email ?? ''
      const wanted = {
        email,
        paymentsAbove: values.above === '' ? null : getAmount(values, 'above'),
        failures: values.failures === 'yes',
        dailyClose: values.close === 'yes',
      }
      await addNotice(app, caller, { merchant, input: wanted })
      return redirectDone(to(NOTICES_PATH), add.done(email))
    },
    showRefused: showNotices,
  }),
  form(STOP, {
    async submit({ app, caller, merchant, params, to }) {
      await stopNotice(app, caller, { merchant, id: params.id ?? '' })
      return redirectDone(to(NOTICES_PATH), NOTICES.stopped)
    },
    showRefused: showNotices,
  }),
]
