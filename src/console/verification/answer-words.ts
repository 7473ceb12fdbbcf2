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

/** Finds the label under which the business filled in a field. */
export function labelOf(step: Step, field: string): string {
  const words: Words = APPLICATION[step]
  const label = words[field]
  return typeof label === 'string' ? label : field.replaceAll('_', ' ')
}

/** Formats an answer with the words of the choice that the business took. */
export const answerOf = (step: Step, field: string, value: string): string =>
  CHOICES[`${step}.${field}`]?.[value] ?? value

/** Formats the subject of a note of a rejection (`business.legal_name`) for people. */
export function placeName(subject: string): string {
  const [step = '', field] = subject.split('.')
  const names: Readonly<Record<string, string>> = stepNames
  const name = names[step] ?? step
  return field === undefined ? name : `${name}: ${labelOf(step as Step, field)}`
}
