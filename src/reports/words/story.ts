import type { EventType } from '../../merchants/webhooks/events.ts'
import type { StoryLine } from '../../rails/movement-story.ts'
import { failureWords } from './failures.ts'
import type { Tone } from './states.ts'

export type StoryNoun = 'charge' | 'payout'
type ToldLine = Pick<StoryLine, 'kind' | 'word' | 'about' | 'summary'>

const forBoth = (text: string) => ({ charge: text, payout: text })
const asked = (answer: string) => forBoth(`We asked the operator: ${answer}`)

/** What people read of a line of a story, by its kind and word. The API and the console keep the line's own summary. */
const LINES: Partial<Record<StoryLine['kind'], Readonly<Record<string, Record<StoryNoun, string>>>>> = {
  created: { created: { charge: 'Payment begun', payout: 'Payout made' } },
  sent: { sent: forBoth('Sent to the operator') },
  answer: {
    accepted: {
      charge: 'Asked the phone: waiting for the PIN',
      payout: 'The operator took it: on its way',
    },
    rejected: forBoth('The operator refused it'),
    refused: forBoth('The operator refused it; we ask whether that stands'),
    unavailable: forBoth('The operator did not take it'),
    ambiguous: forBoth('No clear answer from the operator; we ask what happened'),
  },
  question: {
    pending: {
      charge: 'We asked the operator: still waiting for the PIN',
      payout: 'We asked the operator: still on its way',
    },
    not_found: asked('it does not know the payment now'),
    unknown: asked('no answer that can be read'),
    succeeded: { charge: 'We asked the operator: paid', payout: 'We asked the operator: sent' },
    failed: { charge: 'We asked the operator: not paid', payout: 'We asked the operator: not sent' },
    mismatch: asked('it speaks of another payment; one of us looks at it'),
    rejected: asked('the refusal stands'),
  },
  callback: { callback: forBoth('The operator called us; we ask it now') },
}

/** What people read of a line of the story of a charge or payout, and how it looks. */
export function storyWords(noun: StoryNoun, line: ToldLine): { says: string; tone: Tone } {
  const { kind, word, summary } = line
  if (kind === 'changed') return changeWords(noun, line)
  if (kind === 'exception')
    return word === 'resolved'
      ? { says: 'One of us has resolved it', tone: 'quiet' }
      : { says: `One of us looks at it: ${word.replaceAll('_', ' ')}`, tone: 'warn' }
  return { says: LINES[kind]?.[word]?.[noun] ?? summary, tone: 'quiet' }
}

function changeWords(noun: StoryNoun, { word, about, summary }: ToldLine): { says: string; tone: Tone } {
  const why = failureWords(noun, about)?.brief
  switch (word) {
    case 'succeeded': {
      const done = noun === 'charge' ? 'Paid' : 'Sent'
      return { says: about === null ? done : `${done}: the operator’s number is ${about}`, tone: 'good' }
    }
    case 'failed': {
      const ended = `${noun === 'charge' ? 'Not paid' : 'Came back'}${why === undefined ? '' : `: ${why}`}`
      return { says: noun === 'charge' ? ended : `${ended}. Amount and fee are in your balance again`, tone: 'bad' }
    }
    case 'refunded':
      return { says: 'Given back', tone: 'warn' }
    default:
      return { says: summary, tone: 'quiet' }
  }
}

/** What an event tells the merchant's own server. */
export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  'charge.succeeded': 'paid',
  'charge.failed': 'not paid',
  'charge.refunded': 'given back',
  'payout.succeeded': 'payout sent',
  'payout.failed': 'payout came back',
  'vending.dispensed': 'dispensed',
  'vending.dispense_failed': 'not dispensed',
  'dispute.opened': 'a customer reported a problem',
  'test.ping': 'a test',
}
