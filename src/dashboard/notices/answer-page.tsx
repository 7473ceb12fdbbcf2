import { answerNotice, noticeOfLink } from '../../notices/notice.ts'
import type { Asked, GuestRoute } from '../../pages/route.ts'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { BASE } from '../addresses.ts'
import { NOTICES } from '../texts/notices.ts'

const PATH = '/notices'
const { answer } = NOTICES

/** Shows the page that the mails lead to. Opening it changes nothing. */
async function showAnswer({ gateway, query }: Asked): Promise<Shown> {
  const link = query.link ?? ''
  const { merchant, notice } = await noticeOfLink(gateway, link)
  const business = shown(merchant.name)
  const isOver = notice.stoppedAt !== null
  const formatMessage = isOver ? answer.gone : notice.confirmedAt === null ? answer.ask : answer.hears
  return shownPage(
    answer.title(business),
    <div class="entry">
      <h1>{answer.title(business)}</h1>
      <p>{formatMessage(business, shown(notice.email))}</p>
      {!isOver && <Choices link={link} asks={notice.confirmedAt === null} />}
    </div>,
  )
}

const Choices = ({ link, asks }: { link: string; asks: boolean }) => (
  <form method="post" action={`${BASE}${PATH}`} class="form compact">
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

async function takeAnswer({ gateway, fields, address }: Asked): Promise<Shown> {
  const link = fields.link ?? ''
  await answerNotice(gateway, { link, agrees: fields.answer === 'agree', address })
  return doneTo(`${BASE}${PATH}?link=${encodeURIComponent(link)}`)
}

/** The pages for people without a login who get mails about payments. */
export const NOTICE_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: PATH, handle: showAnswer },
  { method: 'POST', path: PATH, handle: takeAnswer },
]
