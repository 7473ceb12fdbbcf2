import { oneLine } from '../../../platform/text/text.ts'
import { answerNotice, getNoticeOfLink } from '../../../reports/notices/notice.ts'
import type { GuestRoute, PageRequest } from '../../parts/routes/route.ts'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { DASHBOARD_BASE } from '../addresses.ts'
import { NOTICES } from '../texts/notices.ts'

const NOTICE_ANSWER_PATH = '/notices'
const { answer } = NOTICES

/** Shows the page that the mails lead to. Opening it changes nothing. */
async function showAnswer({ gateway, query }: PageRequest): Promise<SurfaceReply> {
  const link = query.link ?? ''
  const { merchant, notice } = await getNoticeOfLink(gateway, link)
  const business = oneLine(merchant.name)
  const isOver = notice.stoppedAt !== null
  const formatMessage = isOver ? answer.gone : notice.confirmedAt === null ? answer.ask : answer.hears
  return pageReply(
    answer.title(business),
    <div class="entry">
      <h1>{answer.title(business)}</h1>
      <p>{formatMessage(business, oneLine(notice.email))}</p>
      {!isOver && <Choices link={link} asks={notice.confirmedAt === null} />}
    </div>,
  )
}

const Choices = ({ link, asks }: { link: string; asks: boolean }) => (
  <form method="post" action={`${DASHBOARD_BASE}${NOTICE_ANSWER_PATH}`} class="form compact">
    <input type="hidden" name="link" value={link} />
    {asks && (
      <button type="submit" name="answer" value="agree" class="button">
        {answer.agree}
      </button>
    )}
    <button type="submit" name="answer" value="stop" class="button plain">
      {answer.stop}
    </button>
  </form>
)

async function submitNoticeAnswer({ gateway, fields, address }: PageRequest): Promise<SurfaceReply> {
  const link = fields.link ?? ''
  await answerNotice(gateway, { link, agrees: fields.answer === 'agree', address })
  return redirectDone(`${DASHBOARD_BASE}${NOTICE_ANSWER_PATH}?link=${encodeURIComponent(link)}`)
}

/** The pages for people without a login who get mails about payments. */
export const NOTICE_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: NOTICE_ANSWER_PATH, handle: showAnswer },
  { method: 'POST', path: NOTICE_ANSWER_PATH, handle: submitNoticeAnswer },
]
