import {
  type Judgement,
  judgeCrowd,
  judgeFirst,
  judgeForged,
  judgeOld,
  judgeSpeed,
  judgeTaken,
  NO_TIME,
  NOT_TRIED,
} from './judge.ts'
import {
  changeAmount,
  type GradedAnswer,
  type GradedMessage,
  type MessageKit,
  withoutSignature,
  writeMessage,
} from './messages.ts'

/** Sends one message and tells what came back; it never throws, and gives up after five seconds. */
type SendGraded = (message: GradedMessage) => Promise<GradedAnswer>

/** What was found in each respect, in the order in which it was tried. */
export type Grade = readonly (Judgement & { name: string; title: string })[]

type GradeCase = { name: string; title: string; try(kit: MessageKit, send: SendGraded): Promise<Judgement> }

const AT_ONCE = 100
const HOUR_MS = 3_600_000
const LATE_MS = 47 * HOUR_MS
// Whoever waits for the grade waits this long at most, and five seconds more for the answer that is under way.
const MAX_MS = 20_000
const FORGER = 'whsec_c29tZWJvZHkgd2hvIGRvZXMgbm90IGtub3cgaXQ='

const FIRST = { name: 'signed', title: 'A correctly signed message' }
const SPEED = { name: 'fast', title: 'How fast it answers' }
const CROWD = { name: 'crowd', title: `${AT_ONCE} messages at once` }

const CASES: readonly GradeCase[] = [
  {
    name: 'forged',
    title: 'A message signed with another secret',
    try: async (kit, send) =>
      judgeForged(await send(writeMessage(kit, { secrets: [FORGER] })), {
        right: 'It refuses what somebody else has signed.',
        taken:
          'It takes what anybody has signed: whoever knows the address can say that he has paid. Check the signature before everything else.',
      }),
  },
  {
    name: 'changed',
    title: 'A message whose amount was changed on the way',
    try: async (kit, send) =>
      judgeForged(await send(changeAmount(writeMessage(kit))), {
        right: 'It refuses bytes that are not those that were signed.',
        taken:
          'It takes an amount that we have not signed. The signature covers the whole body: compare it over the bytes as they came.',
      }),
  },
  {
    name: 'unsigned',
    title: 'A message without a signature',
    try: async (kit, send) =>
      judgeForged(await send(withoutSignature(writeMessage(kit))), {
        right: 'It refuses what nobody has signed.',
        taken: 'It takes a message without any signature. A header that is missing must be refused like a wrong one.',
      }),
  },
  {
    name: 'old',
    title: 'A message that was signed an hour ago',
    try: async (kit, send) => judgeOld(await send(writeMessage(kit, { happenedMsAgo: HOUR_MS, sentMsAgo: HOUR_MS }))),
  },
  {
    name: 'bytes',
    title: 'Names in other letters',
    try: async (kit, send) => {
      const customer = { email: null, name: 'Ñamukasa/Ọládélé 🛵 <Zoë>', phone: '256700000000' }
      return judgeTaken([await send(writeMessage(kit, { data: { customer } }))], {
        right: 'It takes letters of every kind.',
        wrong:
          'It took a plain message before. Sign the bytes as they came; what a parser writes again has other bytes.',
      })
    },
  },
  {
    name: 'twice',
    title: 'The same message twice',
    try: async (kit, send) => {
      const message = writeMessage(kit)
      return judgeTaken([await send(message), await send(message)], {
        right: 'It answers the second one like the first. Only you can see that it counted one payment: look there.',
        wrong: 'A message that you have already is answered with a 2xx too, otherwise we send it again.',
      })
    },
  },
  {
    name: 'twice-at-once',
    title: 'The same message twice at the same moment',
    try: async (kit, send) => {
      const message = writeMessage(kit)
      return judgeTaken(await Promise.all([send(message), send(message)]), {
        right: 'It takes both. Only you can see that it counted one payment: look there.',
        wrong: 'Keep the id under a unique key and answer 2xx when it is there already.',
      })
    },
  },
  {
    name: 'late',
    title: 'An event of the day before yesterday',
    try: async (kit, send) =>
      judgeTaken([await send(writeMessage(kit, { happenedMsAgo: LATE_MS }))], {
        right: 'It takes an event that comes late.',
        wrong:
          'The last attempt comes almost two days after the event. Judge freshness by webhook-timestamp, never by the timestamp of the body.',
      }),
  },
  {
    name: 'order',
    title: 'A refund before its payment',
    try: async (kit, send) => {
      const id = 'txn_grade0123456789abcdef'
      const refund = writeMessage(kit, { event: 'charge.refunded', data: { ...kit.findSample('charge.refunded'), id } })
      const charge = writeMessage(kit, { data: { id } })
      return judgeTaken([await send(refund), await send(charge)], {
        right: 'It takes events in another order than they happened.',
        wrong:
          'Events come in no promised order. Take one about a payment that you do not know yet, and read that by its id.',
      })
    },
  },
  {
    name: 'unknown-event',
    title: 'A kind of event that does not exist yet',
    try: async (kit, send) =>
      judgeTaken([await send(writeMessage(kit, { event: 'charge.something_new' }))], {
        right: 'It takes an event of a kind that it does not know.',
        wrong: 'New kinds of events come without a new version. Answer 2xx and do nothing.',
      }),
  },
  {
    name: 'unknown-field',
    title: 'Fields that do not exist yet',
    try: async (kit, send) => {
      const news = { zz_new: { of: ['a', 1, null] } }
      return judgeTaken([await send(writeMessage(kit, { data: news, more: news }))], {
        right: 'It takes fields that it does not know.',
        wrong: 'New fields come without a new version. Read the ones that you need and leave the others.',
      })
    },
  },
]

/**
 * Tries a receiver of webhooks: what it must take, what it must refuse, how fast it is and how it takes many at once. Its answers are all that
 * can be seen from here. Sends about 115 messages, in 20 seconds and one attempt at most; `MessageKit` says with what they are signed.
 */
export async function gradeReceiver(kit: MessageKit, send: SendGraded): Promise<Grade> {
  const startedMs = performance.now()
  const answers: GradedAnswer[] = []
  const noted: SendGraded = async (message) => {
    const answer = await send(message)
    answers.push(answer)
    return answer
  }
  const first = judgeFirst(await noted(writeMessage(kit)))
  const isAwake = first.verdict === 'right'
  const hasTime = () => performance.now() - startedMs < MAX_MS
  const tried: (Judgement & { name: string; title: string })[] = [{ ...FIRST, ...first }]
  for (const { name, title, ...gradeCase } of CASES) {
    const finding = !isAwake ? NOT_TRIED : hasTime() ? await gradeCase.try(kit, noted) : NO_TIME
    tried.push({ name, title, ...finding })
  }
  tried.push({ ...SPEED, ...(isAwake ? judgeSpeed(answers) : NOT_TRIED) })
  tried.push({ ...CROWD, ...(!isAwake ? NOT_TRIED : hasTime() ? await gradeCrowd(kit, send) : NO_TIME) })
  return tried
}

const gradeCrowd = async (kit: MessageKit, send: SendGraded): Promise<Judgement> =>
  judgeCrowd(await Promise.all(Array.from({ length: AT_ONCE }, () => send(writeMessage(kit)))))
