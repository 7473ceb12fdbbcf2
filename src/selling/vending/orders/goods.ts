import { Type } from 'typebox'
import { isJsonObject } from '../../../api/http/bodies/parse-body.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import { ExactNumber, formatNumber, parseExactJson } from '../../../platform/text/exact-json.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import type { Goods } from './order.ts'

const MAX_GOODS = 50
const MAX_NUMBER_CHARACTERS = 64
const MAX_NAME_CHARACTERS = 200
// Sixteen digits are more than any payment, and still an exact number.
const PRICE_PATTERN = /^[0-9]{1,16}$/

/** The goods of a request, passed on unchecked: `checkGoods` checks them with texts of their own (contract.md G30, G30a). */
export const GoodsList = Type.Array(
  Type.Object(
    {
      spbh: Type.Union([Type.String({ maxLength: MAX_NUMBER_CHARACTERS }), Type.Integer()], {
        description: 'slot or product number',
      }),
      spmc: Type.Optional(Type.String({ maxLength: MAX_NAME_CHARACTERS, description: 'name' })),
      spdj: Type.Optional(
        Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]{0,16}$' })], {
          description: 'unit price, whole UGX, as number or digits',
        }),
      ),
    },
    { $id: 'VendingGoodsCreate' },
  ),
  {
    raw: true,
    minItems: 1,
    maxItems: MAX_GOODS,
    description: 'what is to be dispensed; passed to the machine as it is, further fields too',
    examples: [[{ spbh: '1', spmc: 'Water', spdj: 1000 }]],
  },
)

/** Stands for goods with more numbers than can be parsed exactly in reasonable time. */
const TOO_MANY_NUMBERS = Symbol('too many numbers')

/**
 * Parses the goods anew from the bytes of a body, which are known to be JSON, so that numbers keep all their digits and members
 * any name. Anything but a list is returned as it is.
 */
export function parseExactGoods(parsed: unknown, body: Buffer): unknown {
  if (!Array.isArray(parsed)) return parsed
  const exactBody = parseExactJson(body.toString('utf8')) as { goods?: unknown } | undefined
  return exactBody === undefined ? TOO_MANY_NUMBERS : exactBody.goods
}

/** Formats the number of a product as it is commanded and compared. */
export const productNumber = (spbh: Goods['spbh']): string => (typeof spbh === 'string' ? spbh : formatNumber(spbh))

/** Checks the goods and returns them unchanged. Throws `invalid request: ...` with the first fault. */
export function checkGoods(value: unknown): readonly Goods[] {
  if (value === TOO_MANY_NUMBERS) throw invalidRequest('goods has too many numbers', 'goods')
  if (!Array.isArray(value) || value.length === 0) throw invalidRequest('goods list is required', 'goods')
  if (!value.every((item) => isJsonObject(item) && isProductNumber(item.spbh)))
    throw invalidRequest('each goods item needs an spbh (product number)', 'goods')
  if (value.length > MAX_GOODS) throw invalidRequest(`goods supports at most ${MAX_GOODS} items`, 'goods')
  for (const [index, item] of value.entries()) checkItem(item, `goods[${index}]`)
  return value
}

/** A whole number of any length, or a text that is not blank. */
const isProductNumber = (spbh: unknown): spbh is Goods['spbh'] =>
  typeof spbh === 'string' ? spbh.trim() !== '' : isNumber(spbh) && /^-?[0-9]+$/.test(formatNumber(spbh))

const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

function checkItem({ spbh, spmc, spdj }: Record<string, unknown>, path: string): void {
  if (isProductNumber(spbh)) checkText(productNumber(spbh), `${path}.spbh`, MAX_NUMBER_CHARACTERS)
  if (spmc !== undefined && spmc !== null) checkText(spmc, `${path}.spmc`, MAX_NAME_CHARACTERS)
  if (spdj !== undefined && spdj !== null && spdj !== '' && !isPrice(spdj))
    throw invalidRequest(`${path}.spdj must be a whole number of at least 0`)
}

function checkText(value: unknown, path: string, maxCharacters: number): void {
  if (typeof value !== 'string') throw invalidRequest(`${path} must be a string`)
  if (hasForbiddenControl(value, false)) throw invalidRequest(`${path} contains control characters`)
  if ([...value].length > maxCharacters) throw invalidRequest(`${path} must be at most ${maxCharacters} characters`)
}

const isPrice = (spdj: unknown) =>
  typeof spdj === 'string'
    ? PRICE_PATTERN.test(spdj)
    : isNumber(spdj) && PRICE_PATTERN.test(formatNumber(spdj)) && Number.isSafeInteger(Number(formatNumber(spdj)))
