import { getMachine, listMachines, type Machine, presentMachine } from '../../../selling/vending/machines/machines.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { createPage, NewButton } from '../lists/create-page.tsx'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'
import { VendingTabs } from './vending-tabs.tsx'

const { machines: words } = VENDING
const ROWS_PER_PAGE = 25

export const ADD_MACHINE: FormSpec = {
  path: '/vending/add',
  action: 'machine.add',
  fields: [
    { name: 'machine', label: words.add.machine, maxLength: 64 },
    { name: 'name', label: words.add.name, hint: words.add.nameHint, maxLength: 200, optional: true },
  ],
  submit: words.add.submit,
}
export const SYNC_MACHINES: FormSpec = { path: '/vending/sync', action: 'machine.sync', fields: [], submit: words.sync }
export const REMOVE_MACHINE: FormSpec = {
  path: '/vending/machines/:id/remove',
  action: 'machine.remove',
  fields: [],
  submit: words.remove,
  danger: true,
}

const MachineBadge = ({ machine }: { machine: Machine }) =>
  presentMachine(machine).registered ? (
    <Status word={words.registered} tone="good" />
  ) : (
    <Status word={words.inactive} tone="quiet" />
  )

const COLUMNS: readonly ListColumn<Machine>[] = [
  column.who(words.columns.name, ({ name }) => name),
  { title: words.columns.machine, cell: ({ machine }) => <code>{machine}</code>, at: 'amount' },
  column.what(words.columns.address, ({ address }) => address),
  { title: words.columns.state, cell: (machine) => <MachineBadge machine={machine} />, at: 'state' },
  column.when(words.columns.synced, ({ lastSyncedAt }) => lastSyncedAt),
]

export const showAddMachine = createPage(ADD_MACHINE, () => ({ title: words.add.title }))

export async function showMachines(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant, query } = visit
  const machines = await listMachines(app, merchant.id, {
    limit: ROWS_PER_PAGE,
    startingAfter: query.after ?? null,
  })
  const here = visit.to('/vending')
  return pageReply(
    VENDING.title,
    <>
      <div class="top">
        <h1>{VENDING.title}</h1>
        <NewButton visit={visit} of={ADD_MACHINE}>
          {words.add.title}
        </NewButton>
        <FormBox of={SYNC_MACHINES} visit={visit} state={state} compact />
      </div>
      <VendingTabs visit={visit} at="/vending" />
      {machines.data.length === 0 ? (
        <Empty title={words.empty.title}>
          <p>{words.empty.says}</p>
        </Empty>
      ) : (
        <Table
          caption={VENDING.tabs.machines}
          rows={machines.data}
          columns={COLUMNS}
          href={({ machine }) => visit.to(`/vending/machines/${encodeURIComponent(machine)}`)}
        />
      )}
      <Pager cursors={{ newer: null, older: machines.nextCursor }} query={query} here={here} />
    </>,
    { status: state?.status ?? 200 },
  )
}

export async function showMachine(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const machine = await getMachine(visit.app, {
    merchantId: visit.merchant.id,
    machine: visit.params.id ?? '',
  })
  const { facts } = words
  const isOn = presentMachine(machine).registered
  return pageReply(
    machine.name,
    <>
      <div class="top">
        <h1>
          <OutsideText text={machine.name} />
        </h1>
        <MachineBadge machine={machine} />
      </div>
      <Section title={words.about} aside={<code>{machine.machine}</code>}>
        <Facts
          facts={[
            [facts.address, <OutsideText text={machine.address} />],
            [facts.category, <OutsideText text={machine.category} />],
            [facts.type, <OutsideText text={machine.type} />],
            [facts.synced, <Time at={machine.lastSyncedAt} />],
            [facts.created, <Time at={machine.createdAt} />],
          ]}
        />
        <p>
          <a href={addressWith(visit.to('/orders'), { machine: machine.machine })}>{words.orders}</a>
        </p>
        {isOn && (
          <FormBox of={REMOVE_MACHINE} visit={visit} state={state} params={{ id: machine.machine }}>
            <p class="hint">{words.removeSays}</p>
          </FormBox>
        )}
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
