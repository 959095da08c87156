// Small changes to one instance that take no job to follow: names, password, TLS, maintenance window, public address.
import { bodyOf, flag, optionalText, text } from '../fields.ts';
import { type Answer, type Call, empty, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { note, schedule } from '../world.ts';
import { readName } from './create-rules.ts';
import { checkPassword } from './engines.ts';
import { instanceOf, requireActive, requireIdle } from './guards.ts';
import { lasting } from './operations.ts';

export function rename(call: Call): Answer {
  const instance = instanceOf(call);
  instance.name = readName(bodyOf(call));
  return empty(200);
}

export function setAlias(call: Call): Answer {
  const instance = instanceOf(call);
  const alias = optionalText(bodyOf(call), 'alias') ?? '';
  if (alias.length > 64) throw new BadField('alias', 'it is longer than 64 characters');
  instance.alias = alias;
  return json(200, { resp: 'successful' });
}

export function resetPassword(call: Call): Answer {
  const instance = instanceOf(call);
  const password = text(bodyOf(call), 'db_user_pwd');
  requireIdle(instance, ['backup', 'enlarge']);
  checkPassword(instance.engine, password);
  instance.password = password;
  note(call.world, { at: call.now, kind: 'password', instanceId: instance.id, name: instance.name });
  return json(200, {});
}

export function switchSsl(call: Call): Answer {
  const instance = instanceOf(call);
  const ssl = flag(bodyOf(call), 'ssl_option');
  if (instance.engine !== 'MySQL')
    throw refuse(400, 'DBS.200040', `${instance.engine} does not support this call.`);
  requireActive(instance);
  const at = call.now + lasting(call, call.settings.durations.changeMs);
  instance.sslBusyUntil = at;
  schedule(call.world, { at, kind: 'effect', instanceId: instance.id, effect: { do: 'ssl-changed', ssl } });
  return json(200, {});
}

export function showCertificateLink(call: Call): Answer {
  const instance = instanceOf(call);
  const link = `${call.origin}/_sim/certificates/${instance.id}.pem`;
  return json(200, { cert_info_list: [{ category: 'international', download_link: link }] });
}

export function setMaintenanceWindow(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const [start, end] = [text(body, 'start_time'), text(body, 'end_time')];
  const minutes = [start, end].map((time) => {
    const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
    if (!match) throw new BadField('start_time', `${time} is not hh:mm`);
    return Number(match[1]) * 60 + Number(match[2]);
  });
  const length = ((minutes[1] ?? 0) - (minutes[0] ?? 0) + 1440) % 1440;
  if (length !== 240) throw new BadField('end_time', 'the window must be four hours long');
  instance.maintenanceWindow = `${start}-${end}`;
  return json(200, {});
}

export function bindPublicIp(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const isBind = flag(body, 'is_bind');
  requireIdle(instance, ['backup']);
  if (isBind && instance.publicIp) throw refuse(409, 'DBS.200047', 'A public IP is already bound.');
  instance.publicIp = isBind ? text(body, 'public_ip') : undefined;
  return empty(200);
}
