import { type Static, Type } from 'typebox'
import { parseBody } from '../../api/http/bodies/parse-body.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { parseIsoTime } from '../../platform/time/times.ts'

/** The steps that are answered in forms; documents are the fifth. */
export const ANSWER_STEPS = ['business', 'directors', 'settlement', 'questionnaire'] as const
export type AnswerStep = (typeof ANSWER_STEPS)[number]

export const BUSINESS_KINDS = ['individual', 'sole_trader', 'partnership', 'company', 'ngo', 'school'] as const
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

const shortText = (maxLength: number) => Type.String({ maxLength })
const longText = (maxLength: number) => Type.String({ maxLength, lines: true })
const optionalField = <T extends Parameters<typeof Type.Optional>[0]>(shape: T) => Type.Optional(shape)

const BusinessShape = Type.Object({
  kind: Type.Enum([...BUSINESS_KINDS]),
  legal_name: shortText(200),
  trading_name: optionalField(shortText(200)),
  registration_number: optionalField(shortText(60)),
  tin: optionalField(shortText(20)),
  sells: longText(1000),
  address: longText(500),
  district: shortText(100),
  phone: Type.String({ format: 'phone' }),
  website: optionalField(shortText(255)),
})
const DirectorShape = Type.Object({
  name: shortText(200),
  part: Type.Enum([...PARTS_IN_BUSINESS]),
  id_kind: Type.Enum([...ID_KINDS]),
  id_number: shortText(40),
  born: shortText(10),
  nationality: shortText(60),
  phone: Type.String({ format: 'phone' }),
})
const SettlementShape = Type.Object({ phone: Type.String({ format: 'phone' }), holder: shortText(200) })
const QuestionnaireShape = Type.Object({
  sector: Type.Enum([...SECTORS]),
  monthly: Type.Enum([...VOLUMES]),
  delivery: Type.Enum([...DELIVERIES]),
  customers: longText(1000),
  refunds: optionalField(longText(1000)),
  exposed: Type.Enum([...YES_NO]),
  exposed_says: optionalField(longText(500)),
})

export type Director = Static<typeof DirectorShape>
export type VerificationAnswers = {
  business: Static<typeof BusinessShape>
  directors: readonly Director[]
  settlement: Static<typeof SettlementShape>
  questionnaire: Static<typeof QuestionnaireShape>
}

const OF_AGE_YEARS = 18
const UGANDAN = /^256[0-9]{9}$/
const ID_NUMBER = /^[A-Za-z0-9/ -]{4,40}$/
const TIN = /^[0-9]{10}$/

type FormFields = Readonly<Record<string, unknown>>

/** Parses the step about the business. Throws `invalid request: ...` with the field first, as the other parsers here do. */
export function parseBusiness(given: FormFields): VerificationAnswers['business'] {
  const read = parseBody(BusinessShape, given)
  if (read.kind !== 'individual' && read.registration_number === undefined)
    throw invalidRequest('registration_number is required for a registered business', 'registration_number')
  if (read.tin !== undefined && !TIN.test(read.tin)) throw invalidRequest('tin must have ten digits', 'tin')
  return read
}

/** Parses one of the people behind the business, who must be of age today. */
export function parseDirector(given: FormFields, today: Date): Director {
  const read = parseBody(DirectorShape, given)
  if (!ID_NUMBER.test(read.id_number)) throw invalidRequest('id_number must be 4 to 40 letters and digits', 'id_number')
  const born = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(read.born) ? parseIsoTime(`${read.born}T00:00:00Z`) : null
  if (born === null || born > today || born.getUTCFullYear() < 1900)
    throw invalidRequest('born must be a day, YYYY-MM-DD', 'born')
  const ofAge = new Date(born)
  ofAge.setUTCFullYear(born.getUTCFullYear() + OF_AGE_YEARS)
  if (ofAge > today) throw invalidRequest(`born must be at least ${OF_AGE_YEARS} years ago`, 'born')
  return read
}

/** Parses the wallet to which the money of the business goes. */
export function parseSettlement(given: FormFields): VerificationAnswers['settlement'] {
  const read = parseBody(SettlementShape, given)
  if (!UGANDAN.test(read.phone)) throw invalidRequest('phone must be a Ugandan mobile number', 'phone')
  return read
}

/** Parses the answers about how the business plans to use payments. */
export function parseQuestionnaire(given: FormFields): VerificationAnswers['questionnaire'] {
  const read = parseBody(QuestionnaireShape, given)
  if (read.exposed === 'yes' && read.exposed_says === undefined)
    throw invalidRequest('exposed_says is required: say who, and in which office', 'exposed_says')
  return read
}
