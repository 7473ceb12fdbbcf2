import { hostPorts, setting, WrongSettings } from './setting-readers.ts'

const path = (text: string) => {
  if (!/^\/[\w./-]*$/.test(text)) throw new WrongSettings('must be a path that begins with /')
  return text
}

/** How suppliers of machines are reached (contract.md 6.1); the base address is each merchant's own. */
export const SUPPLIER_SETTINGS = {
  supplierAllowPrivate: setting(
    'SUPPLIER_ALLOW_PRIVATE',
    '',
    'host:port list of machine suppliers that may be private and without TLS, for tests and local trials',
    hostPorts,
  ),
  supplierPathMachines: setting(
    'SUPPLIER_PATH_MACHINES',
    '/service-api/api/queryMachine',
    'where a supplier lists its machines',
    path,
  ),
  supplierPathState: setting(
    'SUPPLIER_PATH_STATE',
    '/service-api/api/queryMachineState',
    'where a supplier says whether a machine is online',
    path,
  ),
  supplierPathGoods: setting(
    'SUPPLIER_PATH_GOODS',
    '/service-api/api/queryMachineHdGoodPlus',
    'where a supplier says what is in a machine',
    path,
  ),
  supplierPathDispense: setting(
    'SUPPLIER_PATH_DISPENSE',
    '/service-pay-third/third/pay/api/ApplyExportGoods',
    'where a supplier takes the command to dispense',
    path,
  ),
}
