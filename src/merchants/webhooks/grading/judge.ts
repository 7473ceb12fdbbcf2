import type { GradedAnswer } from './messages.ts'

/** `advice`: nothing breaks, but it could be better. `skipped`: it could not be tried. */
export type Verdict = 'right' | 'advice' | 'wrong' | 'skipped'

/** What was found about a receiver in one respect. `says`: one or two sentences with the reason. */
export type Judgement = { verdict: Verdict; says: string }

// Receivers are told to answer first and to work afterwards; from here on a busy day brings time-outs.
const SLOW_MS = 2_000
const LIMIT_SECONDS = 5

const isTaken = ({ status }: GradedAnswer) => status !== null && status >= 200 && status < 300
const isRefusal = ({ status }: GradedAnswer) => status !== null && status >= 400 && status < 500

/** Tells an answer in a few words. */
function tellAnswer({ status, error }: GradedAnswer): string {
  if (status !== null) return `answered ${status}`
  return error === 'timeout'
    ? `gave no answer within ${LIMIT_SECONDS} seconds`
    : `gave no answer (${error ?? 'no reason'})`
}

const firstNot = (answers: readonly GradedAnswer[], holds: (answer: GradedAnswer) => boolean) =>
  answers.find((answer) => !holds(answer))

/** A message that must be taken: any 2xx is right. */
export function judgeTaken(
  answers: readonly GradedAnswer[],
  { right, wrong }: { right: string; wrong: string },
): Judgement {
  const other = firstNot(answers, isTaken)
  if (other === undefined) return { verdict: 'right', says: right }
  return { verdict: 'wrong', says: `It ${tellAnswer(other)}. ${wrong}` }
}

/** A message that nobody of us has written: only a 4xx is right. */
export function judgeForged(answer: GradedAnswer, { right, taken }: { right: string; taken: string }): Judgement {
  if (isRefusal(answer)) return { verdict: 'right', says: right }
  if (isTaken(answer)) return { verdict: 'wrong', says: taken }
  return {
    verdict: 'advice',
    says: `It ${tellAnswer(answer)}, so it does not take the message, but it does not refuse it either. Answer 401 before you read the body.`,
  }
}

/** A right message whose attempt is an hour old. X-Service-Signature alone cannot show that, so taking it is no fault. */
export function judgeOld(answer: GradedAnswer): Judgement {
  if (isRefusal(answer)) return { verdict: 'right', says: 'It refuses what was signed an hour ago.' }
  if (!isTaken(answer)) return judgeForged(answer, { right: '', taken: '' })
  return {
    verdict: 'advice',
    says: 'It takes what was signed an hour ago, so a message that somebody kept can be sent again. Compare webhook-timestamp with your clock (five minutes are usual), and keep each id.',
  }
}

/** How long the answers took that came. */
export function judgeSpeed(answers: readonly GradedAnswer[]): Judgement {
  const slowest = Math.round(Math.max(...answers.map(({ ms }) => ms)))
  if (answers.some(({ error }) => error === 'timeout'))
    return {
      verdict: 'wrong',
      says: `An answer took longer than ${LIMIT_SECONDS} seconds, which counts as none: answer first, and work afterwards.`,
    }
  if (slowest >= SLOW_MS)
    return {
      verdict: 'advice',
      says: `The slowest answer took ${slowest} ms. Answer first, and work afterwards: with more to do it will pass ${LIMIT_SECONDS} seconds.`,
    }
  return { verdict: 'right', says: `The slowest answer took ${slowest} ms.` }
}

/** Many messages at once: each must be taken. */
export function judgeCrowd(answers: readonly GradedAnswer[]): Judgement {
  const lost = answers.filter((answer) => !isTaken(answer))
  const slowest = Math.round(Math.max(...answers.map(({ ms }) => ms)))
  const [first] = lost
  if (first === undefined)
    return { verdict: 'right', says: `It took all ${answers.length}, the last after ${slowest} ms.` }
  return {
    verdict: 'wrong',
    says: `It did not take ${lost.length} of ${answers.length}: one ${tellAnswer(first)}. We would send them again later, so your customers wait. Put each into a queue and answer.`,
  }
}

/** The first message of all, without which nothing else can be tried. */
export function judgeFirst(answer: GradedAnswer): Judgement {
  if (isTaken(answer)) return { verdict: 'right', says: 'It takes a correctly signed message.' }
  const hint = isRefusal(answer)
    ? 'Check that it has the secret of this address, and that it signs the bytes as they came, before any parsing.'
    : 'Check that it runs, and that this address leads to it.'
  return { verdict: 'wrong', says: `It ${tellAnswer(answer)}. ${hint}` }
}

export const NOT_TRIED: Judgement = {
  verdict: 'skipped',
  says: 'Not tried, because a correctly signed message was not taken.',
}
export const NO_TIME: Judgement = { verdict: 'skipped', says: 'Not tried, because the answers before took too long.' }
