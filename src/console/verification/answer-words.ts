import { APPLICATION } from '../../pages/application-words.ts'

type Words = Readonly<Record<string, unknown>>
type Step = 'business' | 'director' | 'settlement' | 'questionnaire'

const { business, director, questionnaire, stepNames } = APPLICATION
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'business.kind': business.kinds,
  'director.part': director.parts,
  'director.id_kind': director.id_kinds,
  'questionnaire.sector': questionnaire.sectors,
  'questionnaire.monthly': questionnaire.volumes,
  'questionnaire.delivery': questionnaire.deliveries,
  'questionnaire.exposed': questionnaire.yesNo,
}

/** A field as the business was asked for it. */
export function labelOf(step: Step, field: string): string {
  const words: Words = APPLICATION[step]
  const label = words[field]
  return typeof label === 'string' ? label : field.replaceAll('_', ' ')
}

/** An answer as the business chose it. */
export const answerOf = (step: Step, field: string, value: string): string =>
  CHOICES[`${step}.${field}`]?.[value] ?? value

/** What a note of a rejection is about: `business.legal_name` as people read it. */
export function placeName(place: string): string {
  const [step = '', field] = place.split('.')
  const names: Readonly<Record<string, string>> = stepNames
  const name = names[step] ?? step
  return field === undefined ? name : `${name}: ${labelOf(step as Step, field)}`
}
