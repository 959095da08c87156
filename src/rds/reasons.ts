// Every reason that can stand in a condition, with what to do about it. docs/conditions.md is generated from
// this table, and the compiler refuses a reason that is not in it.

export const REASONS = {
  Available: { means: 'The database is up and accepts connections.', remedy: 'Nothing to do.' },
  UpToDate: { means: 'The cloud has what the spec says.', remedy: 'Nothing to do.' },
  Idle: { means: 'No operation runs.', remedy: 'Nothing to do.' },
  Preparing: { means: 'The operator prepares the create.', remedy: 'Wait; it takes a few seconds.' },
  Creating: { means: 'The cloud builds the instance.', remedy: 'Wait; the cloud needs 5 to 15 minutes.' },
  Restarting: { means: 'The instance restarts.', remedy: 'Wait; clients must reconnect.' },
  Changing: { means: 'The cloud changes the instance.', remedy: 'Wait; the plan shows what changes.' },
  Busy: {
    means: 'The cloud works on the instance for another reason.',
    remedy: 'Wait; the operator goes on afterwards.',
  },
  ChangesPending: {
    means: 'Spec and cloud differ.',
    remedy: 'See status.plan for what will change and when.',
  },
  RestoreSourceMissing: {
    means: 'What spec.restoreFrom names is not there, not complete or not a time.',
    remedy:
      'Correct spec.restoreFrom as the message says; the create goes on by itself when the source is ready.',
  },
  Restoring: {
    means: 'The data of the instance goes back to the point in time of spec.backuprestoretime.',
    remedy: 'Wait; a backup of the state before is made first. Clients are cut off meanwhile.',
  },
  RestoreRefused: {
    means: 'spec.backuprestoretime cannot be carried out.',
    remedy: 'Choose a time in the range of the message, or restore into a new Rds with spec.restoreFrom.',
  },
  BackupsOff: {
    means: 'The cloud makes no backups by itself.',
    remedy: 'Set spec.backupkeepdays to 1 or more.',
  },
  BackupTooOld: {
    means: 'The last automated backup is too old.',
    remedy: 'Look at the backups in the console; make one now with an RdsBackup object.',
  },
  BackupPending: { means: 'No automated backup was made yet.', remedy: 'Wait for the next backup window.' },
  BackupsFresh: { means: 'Automated backups are made.', remedy: 'Nothing to do.' },
  DrillPassed: {
    means: 'The last restore drill got the data back, and every check passed.',
    remedy: 'Nothing to do; status.backup.drill.last has times and source.',
  },
  DrillFailed: {
    means: 'The last restore drill did not get the data back, or a check did not pass.',
    remedy:
      'Read the message. Until a drill passes again, do not rely on the backups: make one with an RdsBackup object and restore it into a new Rds.',
  },
  DrillPending: { means: 'No restore drill has ended yet.', remedy: 'Wait for the time in the message.' },
  DrillScheduleInvalid: {
    means: 'The schedule of spec.backup.drill names no time that ever comes.',
    remedy: 'Correct the field; the message says what is wrong with it. Everything else goes on.',
  },
  DrillOff: { means: 'No restore drill is asked for.', remedy: 'Nothing to do.' },
  OldAlarmsLeft: {
    means: 'Alarms and a topic of the old operator still exist and call an address that nobody answers.',
    remedy:
      'Delete them in the console (Cloud Eye, Simple Message Notification); rds-pilot does not touch them.',
  },
  OldAlarmsGone: { means: 'Nothing of the old operator is left in the cloud.', remedy: 'Nothing to do.' },
  FinalBackupCompleted: {
    means: 'The backup before a delete is complete (an Event only).',
    remedy: 'Keep the text of restoreFrom: with it the data comes back into a new Rds.',
  },
  WaitingForWindow: {
    means: 'Changes that clients would notice wait for the maintenance window or for consent.',
    remedy: 'Wait, or set the annotation otc.mcsps.de/approve to status.planHash to run them now.',
  },
  ImpossibleChange: {
    means: 'The spec asks for something that the cloud cannot do to this instance.',
    remedy: 'Read status.plan: it says why and what would work; the database runs on as it is.',
  },
  ChangeUndone: {
    means: 'A change was made several times and is undone by somebody else each time.',
    remedy:
      'Find out who else changes the instance; then set the annotation otc.mcsps.de/reconcile to a new value.',
  },
  StorageFull: { means: 'The disk is full and the instance read-only.', remedy: 'Raise spec.volumesize.' },
  Stopped: {
    means: 'The instance is stopped; the cloud starts it by itself after seven days.',
    remedy: 'Set spec.stopped to false to start it.',
  },
  Frozen: { means: 'The cloud froze the instance.', remedy: 'Settle the account with the cloud.' },
  InstanceFailed: {
    means: 'The cloud reports the instance as failed.',
    remedy: 'Look at it in the console; restart it with the annotation otc.mcsps.de/restart.',
  },
  CreateFailed: {
    means: 'The cloud could not build the instance.',
    remedy:
      'Read the message, then delete this Rds (with the annotation otc.mcsps.de/force-delete, as there is nothing to back up) and apply it again.',
  },
  CreateOutcomeUnknown: {
    means: 'The answer to the create was lost; it may still take effect.',
    remedy:
      'Wait; the operator looks for the instance and tries again only when it is certain that there is none.',
  },
  OutcomeUnknown: {
    means: 'The answer to an operation was lost; it may still take effect.',
    remedy: 'Wait; the operator looks for evidence before it tries again.',
  },
  RestartUnknown: {
    means: 'A restart was sent and no answer came.',
    remedy: 'Wait; the task list of the cloud decides whether it is sent again.',
  },
  InvalidSpec: {
    means: 'A field of the spec cannot work.',
    remedy: 'Correct the field named in the message.',
  },
  InvalidPassword: {
    means: 'The root password breaks the rules of the cloud.',
    remedy: 'Change the password as the message says.',
  },
  PasswordSecretMissing: {
    means: 'The Secret or key with the root password does not exist.',
    remedy: 'Create it; the operator goes on by itself.',
  },
  RootPasswordUnknown: {
    means: 'The root password of this instance is not known to the operator.',
    remedy: 'Put it into a Secret and name that in spec.passwordSecretRef.',
  },
  PlainTextPassword: {
    means: 'spec.password can be read by everyone who may read the Rds.',
    remedy: 'Move it into a Secret and use spec.passwordSecretRef.',
  },
  PasswordInSecret: { means: 'The root password is kept in a Secret.', remedy: 'Nothing to do.' },
  UnknownFlavor: {
    means: 'The flavor does not exist for this engine, version and mode.',
    remedy: 'Choose one of the flavors named in the message.',
  },
  FlavorSoldOut: {
    means: 'The flavor is not in stock in the wanted availability zone.',
    remedy: 'Choose another flavor or zone, or wait.',
  },
  CloudRefused: {
    means: 'The cloud refuses the request because of a value in the spec.',
    remedy: 'Correct the field named in the message.',
  },
  CloudForbidden: {
    means: 'The credentials may not do this, or a quota is used up.',
    remedy: 'Give the right or raise the quota; the message has the code of the cloud.',
  },
  CloudUnreachable: {
    means: 'The cloud does not answer, is busy or throttles.',
    remedy: 'Wait; nothing is lost. If it lasts, check OS_AUTH_URL and the network.',
  },
  CredentialsInvalid: {
    means: 'Credentials for the cloud are missing or incomplete.',
    remedy: 'Correct the Secret named in the message.',
  },
  JournalUnavailable: {
    means: 'The operator cannot read or write its journal (a Lease).',
    remedy: 'Check the API server and the Role for leases in the namespace of the operator.',
  },
  DuplicateInstances: {
    means: 'More than one instance carries the name of this Rds.',
    remedy: 'Find out which one has the data, remove or rename the other in the console.',
  },
  AdoptionNeeded: {
    means: 'An instance for this namespace and name exists that this Rds did not make.',
    remedy: 'Take it over with the annotation otc.mcsps.de/adopt: <id>, or rename the Rds.',
  },
  ForeignInstance: {
    means: 'The instance belongs to another Rds.',
    remedy: 'Let the other Rds go first (deletionPolicy: Retain), then adopt.',
  },
  InstanceGone: {
    means: 'The instance was deleted outside the operator.',
    remedy:
      'Delete this Rds and apply it again. If the data is needed, restore it in the console first and name the restored instance in the annotation otc.mcsps.de/adopt.',
  },
  InstanceMissing: {
    means: 'The cloud does not list the instance at the moment.',
    remedy: 'Wait; the operator looks several times before it believes that the instance is gone.',
  },
  ChildNameTaken: {
    means: 'An object that is not ours has the name of a child.',
    remedy: 'Remove or rename the object named in the message.',
  },
  ChildNameInvalid: {
    means: 'The name of the Rds cannot be the name of a Service.',
    remedy: 'Use ip and port from the connection Secret, or adopt the database under another name.',
  },
  ChildrenApplied: { means: 'All objects of this Rds are in place.', remedy: 'Nothing to do.' },
  Paused: { means: 'spec.paused is set.', remedy: 'Remove spec.paused to let the operator act again.' },
  DryRun: {
    means: 'The annotation otc.mcsps.de/dry-run is set: the operator plans and does not act.',
    remedy: 'Remove the annotation.',
  },
  FinalBackup: { means: 'The backup before the delete is being made.', remedy: 'Wait.' },
  FinalBackupFailed: {
    means: 'The backup before the delete failed; nothing is deleted.',
    remedy:
      'The operator tries again. To delete without a backup set the annotation otc.mcsps.de/force-delete: "true".',
  },
  Deleting: { means: 'The instance is being deleted.', remedy: 'Wait.' },
  WaitingForCreate: {
    means: 'The Rds was deleted while its create was on the way.',
    remedy: 'Wait; the instance is looked for first, so that none is left behind.',
  },
  ProvingAbsence: {
    means: 'The instance is no longer listed; the operator looks again before it believes it.',
    remedy: 'Wait.',
  },
  BackupRunning: { means: 'The backup is being made.', remedy: 'Wait; the time depends on the size.' },
  BackupCompleted: {
    means: 'The backup is complete and can be restored.',
    remedy: 'Nothing to do; the message has what to write into spec.restoreFrom of a new Rds.',
  },
  BackupFailed: {
    means: 'The cloud could not make the backup.',
    remedy: 'Look at the instance in the console, then create another RdsBackup.',
  },
  BackupMissing: {
    means: 'The cloud does not list the backup at the moment.',
    remedy: 'Wait; the operator looks several times before it believes that the backup is gone.',
  },
  BackupGone: {
    means: 'The backup was deleted outside the operator, or the cloud removed it.',
    remedy: 'Create another RdsBackup and delete this one.',
  },
  BackupNotFound: {
    means: 'The backup that spec.backupId names does not exist for that instance in this project.',
    remedy: 'Create another RdsBackup with one of the ids in the message, or correct the credentials.',
  },
  BackupNotDeletable: {
    means: 'deletionPolicy Delete is set for a backup that the cloud made by itself.',
    remedy: 'Set spec.deletionPolicy: Retain; the cloud removes automated backups itself.',
  },
  RdsNotFound: {
    means: 'The Rds that spec.rds names does not exist in this namespace.',
    remedy: 'Create it, or create another RdsBackup with the right name.',
  },
  WaitingForInstance: {
    means: 'The Rds to back up has no instance that is ready for it.',
    remedy: 'Wait; the backup is made as soon as the instance is there.',
  },
  DatabasesApplied: {
    means: 'Databases, users and rights are as declared.',
    remedy: 'Nothing to do. To check again set the annotation otc.mcsps.de/reconcile to a new value.',
  },
  DatabasesApplying: {
    means: 'A Job makes databases, users and rights.',
    remedy:
      'Wait; it takes seconds. If it lasts, look at the pods of the Job (image, quota, network policy).',
  },
  DatabasesWaiting: {
    means: 'Databases and users cannot be made yet.',
    remedy: 'The message says what is waited for.',
  },
  DatabasesFailed: {
    means: 'A database, user or right could not be made.',
    remedy:
      'The message names each one and why. Correct the spec or the Secret; the Job then runs again by itself.',
  },
  DatabasesUnsupported: {
    means: 'Databases and users of SQL Server are not made by the operator.',
    remedy: 'Make them with the login of the connection Secret; everything else works.',
  },
  IdFoundAgain: {
    means: 'status.id was emptied and is back: that alone cannot be told from a lost status.',
    remedy:
      'Nothing to do. To let the instance go set the annotation otc.mcsps.de/release: "true", or delete the Rds with deletionPolicy: Retain.',
  },
  Watching: { means: 'Alarms watch disk, cpu and memory.', remedy: 'Nothing to do.' },
  AutopilotPreparing: {
    means: 'Alarms and topic of the autopilot are being made or removed.',
    remedy: 'Wait; it takes a minute, and some more when an answer was lost.',
  },
  AutopilotOff: { means: 'The autopilot is off, and nothing of it is left.', remedy: 'Nothing to do.' },
  AutopilotInvalid: {
    means: 'A bound or the address of the autopilot cannot work; it does nothing.',
    remedy: 'Correct the field named in the message.',
  },
  PushUnconfirmed: {
    means: 'Alarms are read once in a while, but not pushed: the address in spec.endpoint has not confirmed.',
    remedy: 'Let the address lead to the alarm port of the operator; it is asked again every hour.',
  },
  Scaling: {
    means: 'The autopilot has decided on another disk or machine.',
    remedy: 'Wait; status.plan says when, status.scaling why.',
  },
  Recommendation: {
    means: 'The autopilot would change disk or machine, and the mode is Recommend.',
    remedy: 'Change the spec as the message says, or set spec.autopilot.mode: Act.',
  },
  AtBound: {
    means: 'The load asks for more than the bounds of the spec or the stock of the cloud allow.',
    remedy: 'Raise the bound named in the message, or reduce the load.',
  },
  Scaled: {
    means: 'The autopilot decided on another disk or machine (an Event only).',
    remedy: 'Nothing to do; the message has the metric that caused it.',
  },
  DiskFullSoon: {
    means: 'At the present rate the disk will be full within a month.',
    remedy: 'Raise spec.volumesize or spec.autopilot.storage.maxGb, or remove data.',
  },
  DiskLastsLong: { means: 'At the present rate the disk lasts.', remedy: 'Nothing to do.' },
  Healing: {
    means: 'The instance does not work and gets its remedy, once.',
    remedy: 'Wait; the message says what is tried.',
  },
  HealingFailed: {
    means: 'The instance does not work, and a remedy is not allowed, not known or did not help.',
    remedy: 'Do what the message recommends.',
  },
  Recovered: { means: 'The instance works again.', remedy: 'Nothing to do.' },
  Released: { means: 'The instance stays in the cloud and is no longer managed.', remedy: 'Nothing to do.' },
  Shared: {
    means: 'Other namespaces may have Secrets of this Rds, if they ask.',
    remedy: 'Nothing to do; take a namespace out of otc.mcsps.de/share-with to withdraw its copies.',
  },
  NotShared: {
    means: 'No other namespace may have a Secret of this Rds.',
    remedy: 'Nothing to do; name namespaces in otc.mcsps.de/share-with to allow them.',
  },
  ShareRefused: {
    means: 'A part of the annotation otc.mcsps.de/share-with cannot be understood and allows nobody.',
    remedy: 'Correct it as the message says: namespaces by name, separated by commas, no wild cards.',
  },
  LogsWaiting: {
    means: 'Logs were ordered; the Job for them gets its credential as soon as the cloud gives one.',
    remedy: 'Wait; the message says what it waits for.',
  },
  LogsRunning: {
    means: 'A Job reads the logs of the database.',
    remedy: 'Wait; it takes seconds to minutes.',
  },
  LogsRead: {
    means: 'The logs that were ordered are in the output of the Job.',
    remedy: 'Read them with the command in the message.',
  },
  LogsRefused: {
    means: 'Logs were ordered of a database that is not there.',
    remedy: 'Order them again, with another value of the annotation, when the database is Ready.',
  },
  LogsFailed: {
    means: 'The logs that were ordered could not be read, or not all of them.',
    remedy: 'Read the message and status.logJob, then order them again with another value of the annotation.',
  },
} as const satisfies Record<string, { means: string; remedy: string }>;

export type Reason = keyof typeof REASONS;
