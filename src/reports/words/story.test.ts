import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { StoryLine } from '../../rails/movement-story.ts'
import { type StoryNoun, storyWords } from './story.ts'

type Case = [StoryNoun, Pick<StoryLine, 'kind' | 'word' | 'about'>, string, string]

const CASES: readonly Case[] = [
  ['charge', { kind: 'changed', word: 'succeeded', about: '7781' }, 'Paid: the operator’s number is 7781', 'good'],
  ['charge', { kind: 'changed', word: 'succeeded', about: null }, 'Paid', 'good'],
  ['charge', { kind: 'changed', word: 'failed', about: 'insufficient_funds' }, 'Not paid: too little money', 'bad'],
  ['charge', { kind: 'changed', word: 'refunded', about: null }, 'Given back', 'warn'],
  ['payout', { kind: 'changed', word: 'succeeded', about: '42' }, 'Sent: the operator’s number is 42', 'good'],
  [
    ...(['payout', { kind: 'changed', word: 'failed', about: 'rail_rejected' }] as const),
    ...(['Came back: refused by the operator. Amount and fee are in your balance again', 'bad'] as const),
  ],
  ['charge', { kind: 'exception', word: 'late_success', about: null }, 'One of us looks at it: late success', 'warn'],
  ['charge', { kind: 'exception', word: 'resolved', about: null }, 'One of us has resolved it', 'quiet'],
  ['payout', { kind: 'question', word: 'pending', about: null }, 'We asked the operator: still on its way', 'quiet'],
  ['charge', { kind: 'question', word: 'of a newer release', about: null }, 'as the API says it', 'quiet'],
]

test('each line of a story is a sentence for people; a word that has none keeps the one of the API', () => {
  for (const [noun, line, says, tone] of CASES)
    deepEqual(storyWords(noun, { ...line, summary: 'as the API says it' }), { says, tone })
})
