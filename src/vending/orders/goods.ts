import { Type } from 'typebox'
import { isObject } from '../../http/read-body.ts'
import { ExactNumber, numberText, readExact } from '../../platform/exact-json.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { hasForbiddenControl } from '../../platform/text.ts'
import type { Goods } from './order.ts'

const MOST_GOODS = 50
const LONGEST_NUMBER = 64
const LONGEST_NAME = 200
// Sixteen digits are more than any payment, and still an exact number.
const PRICE = /^[0-9]{1,16}$/

/** The goods of a request, kept as they came: `readGoods` checks them with their own texts (contract.md G30, G30a). */
export const GoodsList = Type.Array(
  Type.Object({
    spbh: Type.Union([Type.String(), Type.Integer()], { description: 'slot or product number' }),
    spmc: Type.Optional(Type.String({ description: 'name' })),
    spdj: Type.Optional(
      Type.Union([Type.Integer(), Type.String()], {
        description: 'unit price, whole UGX, as number or digits',
      }),
    ),
  }),
  {
    raw: true,
    minItems: 1,
    maxItems: MOST_GOODS,
    description: 'what is to be dispensed; passed to the machine as it is, further fields too',
    examples: [[{ spbh: '1', spmc: 'Water', spdj: 1000 }]],
  },
)

/** Stands for goods with more numbers than can be kept exactly in reasonable time. */
const TOO_MANY_NUMBERS = Symbol('too many numbers')

/**
 * The goods of a body as they are written in its bytes, which are known to be JSON: numbers with all digits, and members of
 * any name. Anything but a list is passed on as it came.
 */
export function goodsAsWritten(given: unknown, body: Buffer): unknown {
  if (!Array.isArray(given)) return given
  const read = readExact(body.toString('utf8')) as { goods?: unknown } | undefined
  return read === undefined ? TOO_MANY_NUMBERS : read.goods
}

/** The number of a product as text, as it is commanded and compared. */
export const productNumber = (spbh: Goods['spbh']): string =>
  typeof spbh === 'string' ? spbh : numberText(spbh)

/** Checks the goods and returns them unchanged. Throws `invalid request: ...` with the first fault. */
export function readGoods(given: unknown): readonly Goods[] {
  if (given === TOO_MANY_NUMBERS) throw invalidRequest('goods has too many numbers')
  if (!Array.isArray(given) || given.length === 0) throw invalidRequest('goods list is required')
  if (!given.every((item) => isObject(item) && isProductNumber(item.spbh)))
    throw invalidRequest('each goods item needs an spbh (product number)')
  if (given.length > MOST_GOODS) throw invalidRequest(`goods supports at most ${MOST_GOODS} items`)
  for (const [index, item] of given.entries()) checkItem(item, `goods[${index}]`)
  return given
}

/** A whole number of any length, or a text that is not blank. */
const isProductNumber = (spbh: unknown): spbh is Goods['spbh'] =>
  typeof spbh === 'string' ? spbh.trim() !== '' : isNumber(spbh) && /^-?[0-9]+$/.test(numberText(spbh))

const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

function checkItem({ spbh, spmc, spdj }: Record<string, unknown>, at: string): void {
  if (isProductNumber(spbh)) checkText(productNumber(spbh), `${at}.spbh`, LONGEST_NUMBER)
  if (spmc !== undefined && spmc !== null) checkText(spmc, `${at}.spmc`, LONGEST_NAME)
  if (spdj !== undefined && spdj !== null && spdj !== '' && !isPrice(spdj))
    throw invalidRequest(`${at}.spdj must be a whole number of at least 0`)
}

function checkText(value: unknown, at: string, longest: number): void {
  if (typeof value !== 'string') throw invalidRequest(`${at} must be a string`)
  if (hasForbiddenControl(value, false)) throw invalidRequest(`${at} contains control characters`)
  if ([...value].length > longest) throw invalidRequest(`${at} must be at most ${longest} characters`)
}

const isPrice = (spdj: unknown) =>
  typeof spdj === 'string'
    ? PRICE.test(spdj)
    : isNumber(spdj) && PRICE.test(numberText(spdj)) && Number.isSafeInteger(Number(numberText(spdj)))
