import { Type } from 'typebox'
import type { Caller } from '../../../api/access/actor.ts'
import { assert } from '../../../platform/assert.ts'
import { ModeShape } from '../../../platform/mode.ts'
import { ExactNumber, formatNumber } from '../../../platform/text/exact-json.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import type { App } from '../../../program/app.ts'
import { machineNotRegistered, supplierNotConfigured, vendingOff, vendingTermsOf } from '../orders/order-rules.ts'
import { newHttpSupplier } from '../suppliers/http-supplier.ts'
import { findSupplierAccess } from '../suppliers/vending-settings.ts'
import { supplierUnavailable } from './sync-machines.ts'

/** One slot of a machine; `raw` has the other fields of the supplier. Prices are whole UGX. */
type TraySlot = {
  slot: string
  spbh: string
  spmc: string
  spdj: number | null
  stock: number | null
  capacity: number | null
  active: boolean
  raw: Readonly<Record<string, unknown>>
}
type SupplierRow = Readonly<Record<string, unknown>>

// The field names that suppliers use; the first one present counts.
const SLOT_FIELDS = ['hdbh', 'hdh', 'slot']
const NUMBER_FIELDS = ['spbh']
const NAME_FIELDS = ['spmc']
const PRICE_FIELDS = ['spdj', 'jg']
const STOCK_FIELDS = ['kcsl', 'kc', 'hdkc', 'stock']
const CAPACITY_FIELDS = ['hdrl', 'rl', 'capacity']
const ACTIVE_FIELDS = ['hdzt', 'zt', 'status', 'active']
const KNOWN_FIELDS = new Set(
  [SLOT_FIELDS, NUMBER_FIELDS, NAME_FIELDS, PRICE_FIELDS, STOCK_FIELDS, CAPACITY_FIELDS, ACTIVE_FIELDS].flat(),
)
const OFF_VALUES: readonly unknown[] = [0, '0', false, 'false']

// Test keys never see a real machine (contract.md 3 v).
const SIMULATED_TRAY: readonly TraySlot[] = [
  ['Water', 1000],
  ['Soda', 2000],
  ['Snack', 3000],
].map(([spmc, spdj], index) => ({
  slot: String(index + 1),
  spbh: String(index + 1),
  spmc: String(spmc),
  spdj: Number(spdj),
  stock: 10,
  capacity: 10,
  active: true,
  raw: {},
}))

const wholeOrNull = (description: string) => Type.Union([Type.Integer({ description }), Type.Null()])

export const MachineGoodsShape = Type.Object(
  {
    machine: Type.String(),
    mode: ModeShape,
    count: Type.Integer({ minimum: 0 }),
    as_of: Type.Integer({ minimum: 0, description: 'Unix seconds' }),
    goods: Type.Array(
      Type.Object(
        {
          slot: Type.String(),
          spbh: Type.String({ description: 'the number that an order names' }),
          spmc: Type.String({ description: 'name' }),
          spdj: wholeOrNull('price, whole UGX'),
          stock: wholeOrNull('units in the slot'),
          capacity: wholeOrNull('units that fit'),
          active: Type.Boolean({ description: 'false: the slot does not dispense at the moment' }),
          raw: Type.Unsafe<SupplierRow>(Type.Object({}, { description: 'what else the supplier says' })),
        },
        { $id: 'MachineSlot' },
      ),
    ),
  },
  { $id: 'MachineGoods' },
)

/** Reads what is in a machine now (contract.md G35), from the merchant's supplier; in test mode it is the simulated tray. */
export async function readMachineGoods(
  app: App,
  { merchantId, mode }: Pick<Caller, 'merchantId' | 'mode'>,
  machine: string,
) {
  // No machine number has control characters, and the database accepts no NUL.
  const termsCall = vendingTermsOf(merchantId, hasForbiddenControl(machine, false) ? '' : machine)
  const [terms] = await app.db.query(termsCall.statement, termsCall.values)
  assert(terms, 'a key belongs to a merchant')
  if (!terms.vendingEnabled) throw vendingOff()
  // In a path the number is an id, so it must match exactly, with its blanks.
  if (terms.machine !== machine) throw machineNotRegistered()
  const goods = mode === 'test' ? SIMULATED_TRAY : await askSupplier(app, merchantId, machine)
  return { machine, mode, count: goods.length, as_of: Math.floor(app.clock.nowMs() / 1000), goods }
}

async function askSupplier(app: App, merchantId: number, machine: string): Promise<TraySlot[]> {
  const access = await findSupplierAccess(app, merchantId)
  if (access === null) throw supplierNotConfigured()
  const rows = await newHttpSupplier(app, access).tray(machine)
  if (rows === null) throw supplierUnavailable()
  return rows.map(parseSlot)
}

function parseSlot(row: SupplierRow, index: number): TraySlot {
  const slot = findText(row, SLOT_FIELDS) ?? String(index + 1)
  const spbh = findText(row, NUMBER_FIELDS) ?? slot
  const isOff = OFF_VALUES.includes(findFirst(row, ACTIVE_FIELDS))
  return {
    slot,
    spbh,
    spmc: findText(row, NAME_FIELDS) ?? spbh,
    spdj: findWhole(row, PRICE_FIELDS),
    stock: findWhole(row, STOCK_FIELDS),
    capacity: findWhole(row, CAPACITY_FIELDS),
    active: !isOff,
    raw: Object.fromEntries(Object.entries(row).filter(([name]) => !KNOWN_FIELDS.has(name))),
  }
}

const findFirst = (row: SupplierRow, names: readonly string[]): unknown =>
  names.map((name) => row[name]).find((value) => value !== undefined && value !== null)

function findText(row: SupplierRow, names: readonly string[]): string | null {
  const value = findFirst(row, names)
  if (typeof value === 'number' || value instanceof ExactNumber) return formatNumber(value)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/** Finds a whole number of at least 0, sent as number or as digits. A fraction of a shilling counts as no price. */
function findWhole(row: SupplierRow, names: readonly string[]): number | null {
  const text = findText(row, names)
  if (text === null || !/^[0-9]{1,15}(?:\.0+)?$/.test(text)) return null
  return Number(text)
}
