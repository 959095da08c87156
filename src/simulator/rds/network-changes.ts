// Changes of how an instance is reached: port, address, security group, name. Each answers with a workflow to follow.
import { bodyOf, integer, optionalText, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { networksOf } from '../vpc/networks.ts';
import { chooseAddress } from './blank-instance.ts';
import { checkSecurityGroup } from './create-rules.ts';
import { checkPort } from './engines.ts';
import { instanceOf, requireActive, requireIdle, requireNoSslSwitch } from './guards.ts';
import { requireFreePort, requireMovable } from './hosted.ts';
import { begin, newJob } from './operations.ts';

export function changePort(call: Call): Answer {
  const instance = instanceOf(call);
  const port = integer(bodyOf(call), 'port');
  checkPort(instance.engine, port);
  requireActive(instance);
  requireNoSslSwitch(instance, call.now);
  requireFreePort(call, instance, port);
  const { portMs } = call.settings.durations;
  const effect = { do: 'port-changed', port } as const;
  const job = begin(call, instance, {
    kind: 'port',
    status: 'MODIFYING DATABASE PORT',
    durationMs: portMs,
    effect,
  });
  return json(200, { workflowId: job.id });
}

export function changeIp(call: Call): Answer {
  const instance = instanceOf(call);
  const wanted = text(bodyOf(call), 'new_ip');
  requireActive(instance);
  requireMovable(instance);
  const network = networksOf(call.settings, instance.projectId).find(
    ({ subnetId }) => subnetId === instance.subnetId,
  );
  if (!network) throw refuse(404, 'DBS.200501', 'The subnet does not exist.');
  const ip = chooseAddress(call, network, wanted);
  const { changeMs } = call.settings.durations;
  const job = begin(call, instance, { kind: 'ip', durationMs: changeMs, effect: { do: 'ip-changed', ip } });
  return json(200, { workflowId: job.id });
}

/** Made at once: the next change need not wait for it. */
export function changeSecurityGroup(call: Call): Answer {
  const instance = instanceOf(call);
  const securityGroupId = checkSecurityGroup(call, text(bodyOf(call), 'security_group_id'));
  requireIdle(instance);
  instance.securityGroupId = securityGroupId;
  return json(200, { workflowId: newJob(call, instance, 'ModifySecurityGroup').id });
}

const DNS_SUFFIX = 'rds.internal.eu-de.otc.t-systems.com';

export const setDnsName = (call: Call): Answer => {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  if (text(body, 'dns_type') !== 'private') throw new BadField('dns_type', 'it must be private');
  requireActive(instance);
  const dnsName = `${optionalText(body, 'dns_name_prefix') ?? instance.id}.${DNS_SUFFIX}`;
  const { changeMs } = call.settings.durations;
  const job = begin(call, instance, {
    kind: 'dns',
    durationMs: changeMs,
    effect: { do: 'dns-changed', dnsName },
  });
  return json(202, { job_id: job.id });
};

export function showDnsName(call: Call): Answer {
  const instance = instanceOf(call);
  const names = {
    dns_name: instance.dnsName ?? '',
    dns_type: 'private',
    ipv4_address: instance.ip,
    status: 'ACTIVE',
  };
  return json(200, { instance_id: instance.id, ...names });
}
