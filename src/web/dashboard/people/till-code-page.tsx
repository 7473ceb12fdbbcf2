import { makeTillCode } from '../../../merchants/people/sign-in/tills.ts'
import type { FormValues } from '../../parts/forms/form-spec.ts'
import { CopyBox, formatPageTime } from '../../parts/parts.tsx'
import { QrPicture } from '../../parts/qr-picture.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { PEOPLE } from '../texts/people.ts'
import type { DashboardVisit } from '../visit.ts'
import { PEOPLE_PATH } from './people-page.tsx'

/** Makes a code for a till and shows it, as the answer to the form: no address leads to it. */
export async function showTillCode(
  visit: DashboardVisit,
  { name = '', hours = '' }: FormValues,
): Promise<SurfaceReply> {
  const { gateway, caller, merchant } = visit
  const code = await makeTillCode(gateway, caller, { merchantId: merchant.id, name, hours: Number(hours) })
  const { till } = PEOPLE
  return pageReply(
    till.codeTitle,
    <>
      <h1>{till.codeTitle}</h1>
      <p>{till.codeSays(formatPageTime(code.expiresAt), formatPageTime(code.shiftEnds))}</p>
      <QrPicture text={code.address} title={till.codeTitle} />
      <p>{till.or}</p>
      <CopyBox text={code.address} label={till.or} />
      <p>
        <a href={visit.to(PEOPLE_PATH)}>{till.done}</a>
      </p>
    </>,
  )
}
