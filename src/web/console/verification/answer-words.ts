import { APPLICATION } from '../../parts/application-words.ts'

type StepTexts = Readonly<Record<string, unknown>>
type ApplicationStep = 'business' | 'director' | 'settlement' | 'questionnaire'

const { business, director, questionnaire, stepNames } = APPLICATION
const CHOICE_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'business.kind': business.kinds,
  'director.part': director.parts,
  'director.id_kind': director.id_kinds,
  'questionnaire.sector': questionnaire.sectors,
  'questionnaire.monthly': questionnaire.volumes,
  'questionnaire.delivery': questionnaire.deliveries,
  'questionnaire.exposed': questionnaire.yesNo,
}

/** Finds the label under which the business filled in a field. */
export function findFieldLabel(step: ApplicationStep, field: string): string {
  const words: StepTexts = APPLICATION[step]
  const label = words[field]
  return typeof label === 'string' ? label : field.replaceAll('_', ' ')
}

/** Formats an answer with the words of the choice that the business took. */
export const formatAnswer = (step: ApplicationStep, field: string, value: string): string =>
  CHOICE_NAMES[`${step}.${field}`]?.[value] ?? value

/** Formats the subject of a note of a rejection (`business.legal_name`) for people. */
export function formatNoteSubject(subject: string): string {
  const [step = '', field] = subject.split('.')
  const names: Readonly<Record<string, string>> = stepNames
  const name = names[step] ?? step
  return field === undefined ? name : `${name}: ${findFieldLabel(step as ApplicationStep, field)}`
}
