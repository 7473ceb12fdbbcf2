import { Type } from 'typebox'
import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import { assert } from '../../platform/assert.ts'
import { ExactNumber, numberText } from '../../platform/exact-json.ts'
import { ModeShape } from '../../platform/mode.ts'
import { hasForbiddenControl } from '../../platform/text.ts'
import {
  machineNotRegistered,
  supplierNotConfigured,
  vendingOff,
  vendingTermsOf,
} from '../orders/order-rules.ts'
import { httpSupplier } from '../suppliers/http-supplier.ts'
import { supplierAccess } from '../suppliers/vending-settings.ts'
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
type Row = Readonly<Record<string, unknown>>

// The field names that suppliers use; the first one present counts.
const SLOT = ['hdbh', 'hdh', 'slot']
const NUMBER = ['spbh']
const NAME = ['spmc']
const PRICE = ['spdj', 'jg']
const STOCK = ['kcsl', 'kc', 'hdkc', 'stock']
const CAPACITY = ['hdrl', 'rl', 'capacity']
const ACTIVE = ['hdzt', 'zt', 'status', 'active']
const KNOWN = new Set([SLOT, NUMBER, NAME, PRICE, STOCK, CAPACITY, ACTIVE].flat())
const OFF: readonly unknown[] = [0, '0', false, 'false']

// Test keys never see a real machine (contract.md 3 v).
const SIMULATED: readonly TraySlot[] = [
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
    count: Type.Integer(),
    as_of: Type.Integer({ description: 'Unix seconds' }),
    goods: Type.Array(
      Type.Object({
        slot: Type.String(),
        spbh: Type.String({ description: 'the number that an order names' }),
        spmc: Type.String({ description: 'name' }),
        spdj: wholeOrNull('price, whole UGX'),
        stock: wholeOrNull('units in the slot'),
        capacity: wholeOrNull('units that fit'),
        active: Type.Boolean({ description: 'false: the slot does not dispense at the moment' }),
        raw: Type.Unsafe<Row>(Type.Object({}, { description: 'what else the supplier says' })),
      }),
    ),
  },
  { $id: 'MachineGoods' },
)

/** Reads what is in a machine now (contract.md G35), from the merchant's supplier; in test mode it is the simulated tray. */
export async function machineGoods(
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
  const goods = mode === 'test' ? SIMULATED : await askSupplier(app, merchantId, machine)
  return { machine, mode, count: goods.length, as_of: Math.floor(app.clock.nowMs() / 1000), goods }
}

async function askSupplier(app: App, merchantId: number, machine: string): Promise<TraySlot[]> {
  const access = await supplierAccess(app, merchantId)
  if (access === null) throw supplierNotConfigured()
  const rows = await httpSupplier(app, access).tray(machine)
  if (rows === null) throw supplierUnavailable()
  return rows.map(readSlot)
}

function readSlot(row: Row, index: number): TraySlot {
  const slot = textOf(row, SLOT) ?? String(index + 1)
  const spbh = textOf(row, NUMBER) ?? slot
  const isOff = OFF.includes(firstOf(row, ACTIVE))
  return {
    slot,
    spbh,
    spmc: textOf(row, NAME) ?? spbh,
    spdj: wholeOf(row, PRICE),
    stock: wholeOf(row, STOCK),
    capacity: wholeOf(row, CAPACITY),
    active: !isOff,
    raw: Object.fromEntries(Object.entries(row).filter(([name]) => !KNOWN.has(name))),
  }
}

const firstOf = (row: Row, names: readonly string[]): unknown =>
  names.map((name) => row[name]).find((value) => value !== undefined && value !== null)

function textOf(row: Row, names: readonly string[]): string | null {
  const value = firstOf(row, names)
  if (typeof value === 'number' || value instanceof ExactNumber) return numberText(value)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/** Finds a whole number of at least 0, sent as number or as digits. A fraction of a shilling counts as no price. */
function wholeOf(row: Row, names: readonly string[]): number | null {
  const text = textOf(row, names)
  if (text === null || !/^[0-9]{1,15}(?:\.0+)?$/.test(text)) return null
  return Number(text)
}
