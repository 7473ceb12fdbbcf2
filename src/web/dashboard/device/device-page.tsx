import { mayDo } from '../../../api/access/allow.ts'
import { listMembers } from '../../../merchants/people/members.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { listDevices, type PushDevice } from '../../../reports/push/device.ts'
import { readVapidKeys } from '../../../reports/push/encrypt-message.ts'
import { deviceName } from '../../parts/account/device.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Note, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { PARTS } from '../../parts/texts.ts'
import { addressIn } from '../addresses.ts'
import { NOTICES_PATH } from '../notices/notices-path.ts'
import { DEVICE } from '../texts/device.ts'
import type { DashboardVisit } from '../visit.ts'
import { DEVICE_PATH } from './device-path.ts'

const { columns, fields, shows } = DEVICE

// A hidden field shows no fault of its own: what is too long for an address is refused as one.
const MAX_HIDDEN = 8192

/** The script of the page fills the hidden fields with what the browser's message service gave. */
export const ADD_DEVICE: FormSpec = {
  path: `${DEVICE_PATH}/add`,
  action: 'push.set',
  fields: [
    { name: 'payments', label: fields.payments, kind: 'check' },
    { name: 'failures', label: fields.failures, kind: 'check' },
    ...['endpoint', 'p256dh', 'auth'].map(
      (name) => ({ name, label: name, kind: 'hidden', maxLength: MAX_HIDDEN }) as const,
    ),
  ],
  submit: DEVICE.submit,
}
export const STOP_DEVICE: FormSpec = {
  path: `${DEVICE_PATH}/:id/stop`,
  action: 'push.stop',
  fields: [],
  submit: DEVICE.remove,
  plain: true,
}

/** Shows the switch for this browser and the person's devices; an owner sees those of everybody. */
export async function showDevice(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const devices = await listDevices(visit.app, visit.caller)
  const names = visit.caller.role === 'owner' ? await readNames(visit) : null
  return pageReply(
    DEVICE.title,
    <>
      <h1>{DEVICE.title}</h1>
      <p>{DEVICE.lead}</p>
      {visit.mode === 'live' ? (
        <Switch visit={visit} state={state} />
      ) : (
        <Note>
          {DEVICE.liveOnly} <a href={addressIn('live', DEVICE_PATH)}>{DEVICE.toLive}</a>
        </Note>
      )}
      <Section title={DEVICE.list}>
        {devices.length === 0 ? (
          <Empty title={DEVICE.none}>
            <p>{DEVICE.noneSays}</p>
          </Empty>
        ) : (
          <Table caption={DEVICE.list} rows={devices} columns={columnsFor(visit, names)} />
        )}
      </Section>
      {mayDo(visit.caller, 'shop.read') && (
        <p>
          <a href={visit.to(NOTICES_PATH)}>{DEVICE.toNotices}</a>
        </p>
      )}
    </>,
    { scripts: ['push.js'], status: state?.status ?? 200 },
  )
}

const readNames = async ({ gateway, merchant }: DashboardVisit): Promise<ReadonlyMap<number, string>> =>
  new Map((await listMembers(gateway, merchant.id)).map(({ personId, name }) => [personId, name]))

const Switch = ({ visit, state }: { visit: DashboardVisit; state: FormState | null }) => (
  <Section title={DEVICE.on}>
    <noscript>
      <Note>{DEVICE.noScript}</Note>
    </noscript>
    <div
      hidden={state === null}
      data-push={readVapidKeys(visit.app).publicKey}
      data-cannot={DEVICE.cannot}
      data-denied={DEVICE.denied}
      data-failed={DEVICE.failed}
    >
      <FormBox of={ADD_DEVICE} visit={visit} state={state} values={{ payments: 'yes' }} />
      <output />
    </div>
  </Section>
)

const columnsFor = (
  visit: DashboardVisit,
  names: ReadonlyMap<number, string> | null,
): readonly ListColumn<PushDevice>[] => [
  {
    title: columns.name,
    cell: ({ agent, addressHash }) => (
      <>
        {oneLine(deviceName(agent))}
        <span class="quiet" data-device={addressHash} hidden>
          {` (${DEVICE.here})`}
        </span>
      </>
    ),
    at: 'who',
  },
  ...(names === null
    ? []
    : [
        {
          title: columns.who,
          cell: ({ personId }: PushDevice) => oneLine(names.get(personId) ?? PARTS.none),
          at: 'what' as const,
        },
      ]),
  {
    title: columns.shows,
    cell: ({ payments, failures }) =>
      [...(payments ? [shows.payments] : []), ...(failures ? [shows.failures] : [])].join(', '),
    at: 'state',
  },
  { title: columns.since, cell: ({ createdAt }) => <Time at={createdAt} />, at: 'when' },
  { title: columns.last, cell: ({ sentAt }) => (sentAt === null ? PARTS.none : <Time at={sentAt} />) },
  {
    title: columns.act,
    cell: ({ id }) => <FormBox of={STOP_DEVICE} visit={visit} params={{ id }} compact />,
    at: 'more',
  },
]
