import { Type } from 'typebox'
import { tagEndpoints } from '../../../api/http/endpoint.ts'
import {
  LIST_QUERY_WITHOUT_TIMES,
  listEndpoint,
  parseWindowWithoutTimes,
  readEndpoint,
} from '../../../api/http/read-endpoints.ts'
import { badRequest } from '../../../platform/refusal.ts'
import { parseIsoTime } from '../../../platform/time/times.ts'
import type { App } from '../../../program/app.ts'
import { requireVending } from '../suppliers/vending-settings.ts'
import { MachineGoodsShape, readMachineGoods } from './machine-goods.ts'
import { listMachines, type Machine, MachineShape, presentMachine } from './machines.ts'
import { readMachineTallies, TalliesShape } from './tallies.ts'

export const machineEndpoints = tagEndpoints('Vending', [
  listEndpoint<App, Machine>({
    path: '/v1/vending/machines',
    name: 'listMachines',
    summary: 'List your machines, newest first',
    description: 'Both modes share them.',
    refusals: { 403: 'vending_disabled' },
    query: LIST_QUERY_WITHOUT_TIMES,
    row: MachineShape,
    async list(app, caller, query) {
      const window = parseWindowWithoutTimes(query)
      await requireVending(app, caller.merchantId)
      return listMachines(app, caller.merchantId, window)
    },
    present: presentMachine,
  }),
  readEndpoint<App>({
    path: '/v1/vending/machines/tallies',
    name: 'readTallies',
    summary: 'What each machine has sold',
    description:
      'Figures of the orders created since a time, from their transactions in the mode of the key. Registered machines always appear. Answers also while vending is off.',
    query: Type.Object({
      machine: Type.Optional(Type.String({ description: 'only this one' })),
      since: Type.Optional(Type.String({ format: 'date-time', description: 'ISO 8601, inclusive' })),
    }),
    shape: { description: 'a record for each machine, by machine number', schema: TalliesShape },
    read(app, { caller, query }) {
      const since = parseSince(query.since)
      // A blank parameter is an absent one.
      const machine = query.machine?.trim() ? query.machine : null
      return readMachineTallies(app, caller, { machine, since })
    },
  }),
  readEndpoint<App>({
    path: '/v1/vending/machines/:machine/goods',
    name: 'machineGoods',
    summary: 'What is in a machine now, with prices',
    description: 'Asked of your machine supplier as you ask. Test keys get a simulated tray.',
    params: Type.Object({ machine: Type.String({ description: 'machine number' }) }),
    shape: { description: 'a row for each slot', schema: MachineGoodsShape },
    refusals: { 400: 'supplier_not_configured', 403: 'vending_disabled', 502: 'supplier_error' },
    read: (app, { caller, params }) => readMachineGoods(app, caller, params.machine ?? ''),
  }),
])

function parseSince(text: string | undefined): Date | null {
  if (text === undefined) return null
  const since = parseIsoTime(text)
  if (since === null) throw badRequest('since must be an ISO 8601 datetime')
  return since
}
