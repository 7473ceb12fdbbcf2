import type { FormAnswer } from '../crash/forms.ts'

/** How many answers there were of each status, for the table. */
export function countAnswers(answers: readonly FormAnswer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')
}

/** Answers that are not allowed in any race. */
export function strangeAnswers(answers: readonly FormAnswer[], expected: readonly number[]): string[] {
  const strange = answers.filter(({ status }) => !expected.includes(status))
  return strange.length === 0 ? [] : [`unexpected: ${countAnswers(strange)}`]
}
