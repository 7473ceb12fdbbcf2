import { CopyBox } from '../parts.tsx'
import { QrPicture } from '../qr-picture.tsx'
import { ACCOUNT } from './texts.ts'

/** The secret of an authenticator app that is being added: as a QR code, as text, and as an address. */
export const AppSecret = ({ secret, address }: { secret: string; address: string }) => (
  <>
    <p>{ACCOUNT.enrol.scan}</p>
    <QrPicture text={address} title={ACCOUNT.enrol.picture} />
    <p>{ACCOUNT.enrol.secret}</p>
    <CopyBox text={secret} label={ACCOUNT.enrol.secret} />
    <p>{ACCOUNT.enrol.address}</p>
    <CopyBox text={address} label={ACCOUNT.enrol.address} />
  </>
)
