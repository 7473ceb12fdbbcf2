import { type Static, Type } from 'typebox'
import { readBody } from '../http/read-body.ts'
import { invalidRequest } from '../platform/refusal.ts'
import { readIsoTime } from '../platform/times.ts'

/** The steps that are answered in forms; documents are the fifth. */
export const STEPS = ['business', 'directors', 'settlement', 'questionnaire'] as const
export type Step = (typeof STEPS)[number]

export const BUSINESS_KINDS = [
  'individual',
  'sole_trader',
  'partnership',
  'company',
  'ngo',
  'school',
] as const
export const PARTS_IN_BUSINESS = ['owner', 'director', 'partner', 'signatory'] as const
export const ID_KINDS = ['national_id', 'passport', 'refugee_id', 'driving_permit'] as const
export const SECTORS = [
  'retail',
  'food',
  'transport',
  'education',
  'health',
  'services',
  'digital',
  'vending',
  'charity',
  'other',
] as const
/** Ranges of money in a month, in whole UGX. */
export const VOLUMES = ['below_1m', '1m_10m', '10m_100m', '100m_1bn', 'above_1bn'] as const
export const DELIVERIES = ['at_once', 'within_a_week', 'within_a_month', 'later'] as const
const YES_NO = ['yes', 'no'] as const

const text = (maxLength: number) => Type.String({ maxLength })
const lines = (maxLength: number) => Type.String({ maxLength, lines: true })
const maybe = <T extends Parameters<typeof Type.Optional>[0]>(shape: T) => Type.Optional(shape)

const BusinessShape = Type.Object({
  kind: Type.Enum([...BUSINESS_KINDS]),
  legal_name: text(200),
  trading_name: maybe(text(200)),
  registration_number: maybe(text(60)),
  tin: maybe(text(20)),
  sells: lines(1000),
  address: lines(500),
  district: text(100),
  phone: Type.String({ format: 'phone' }),
  website: maybe(text(255)),
})
const DirectorShape = Type.Object({
  name: text(200),
  part: Type.Enum([...PARTS_IN_BUSINESS]),
  id_kind: Type.Enum([...ID_KINDS]),
  id_number: text(40),
  born: text(10),
  nationality: text(60),
  phone: Type.String({ format: 'phone' }),
})
const SettlementShape = Type.Object({ phone: Type.String({ format: 'phone' }), holder: text(200) })
const QuestionnaireShape = Type.Object({
  sector: Type.Enum([...SECTORS]),
  monthly: Type.Enum([...VOLUMES]),
  delivery: Type.Enum([...DELIVERIES]),
  customers: lines(1000),
  refunds: maybe(lines(1000)),
  exposed: Type.Enum([...YES_NO]),
  exposed_says: maybe(lines(500)),
})

export type Director = Static<typeof DirectorShape>
export type Answers = {
  business: Static<typeof BusinessShape>
  directors: readonly Director[]
  settlement: Static<typeof SettlementShape>
  questionnaire: Static<typeof QuestionnaireShape>
}

const OF_AGE_YEARS = 18
const UGANDAN = /^256[0-9]{9}$/
const ID_NUMBER = /^[A-Za-z0-9/ -]{4,40}$/
const TIN = /^[0-9]{10}$/

type Given = Readonly<Record<string, unknown>>

/** Parses the step about the business. Throws `invalid request: ...` with the field first, as the other parsers here do. */
export function readBusiness(given: Given): Answers['business'] {
  const read = readBody(BusinessShape, given)
  if (read.kind !== 'individual' && read.registration_number === undefined)
    throw invalidRequest('registration_number is required for a registered business')
  if (read.tin !== undefined && !TIN.test(read.tin)) throw invalidRequest('tin must have ten digits')
  return read
}

/** Parses one of the people behind the business, who must be of age today. */
export function readDirector(given: Given, today: Date): Director {
  const read = readBody(DirectorShape, given)
  if (!ID_NUMBER.test(read.id_number)) throw invalidRequest('id_number must be 4 to 40 letters and digits')
  const born = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(read.born) ? readIsoTime(`${read.born}T00:00:00Z`) : null
  if (born === null || born > today || born.getUTCFullYear() < 1900)
    throw invalidRequest('born must be a day, YYYY-MM-DD')
  const ofAge = new Date(born)
  ofAge.setUTCFullYear(born.getUTCFullYear() + OF_AGE_YEARS)
  if (ofAge > today) throw invalidRequest(`born must be at least ${OF_AGE_YEARS} years ago`)
  return read
}

/** Parses the wallet to which the money of the business goes. */
export function readSettlement(given: Given): Answers['settlement'] {
  const read = readBody(SettlementShape, given)
  if (!UGANDAN.test(read.phone)) throw invalidRequest('phone must be a Ugandan mobile number')
  return read
}

/** Parses the answers about how the business plans to use payments. */
export function readQuestionnaire(given: Given): Answers['questionnaire'] {
  const read = readBody(QuestionnaireShape, given)
  if (read.exposed === 'yes' && read.exposed_says === undefined)
    throw invalidRequest('exposed_says is required: say who, and in which office')
  return read
}
