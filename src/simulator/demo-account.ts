// The one account the simulator knows. These values are a contract with its users: never change them.

export const REGION = 'eu-de';
export const ZONES = ['eu-de-01', 'eu-de-02', 'eu-de-03'];

export const DEMO_DOMAIN = { id: '7f1d0a5c3e9b4d0c8a6f2b1e5d4c3a90', name: 'OTC-DEMO' };
export const DEMO_USER = { id: '5a1e9c7b3d2f4e6890ab12cd34ef56a7', name: 'demo', password: 'demo-Passw0rd' };
export const DEMO_PROJECT = { id: '0d3a8f6e1c5b4a7290ef8d6c4b2a1357', name: 'eu-de' };
export const OTHER_PROJECT = { id: '9b7c5d3e1f204a6880cdefab12345678', name: 'eu-de_other' };
export const PROJECTS = [DEMO_PROJECT, OTHER_PROJECT];

export const DEMO_ACCESS_KEY = 'DEMOACCESSKEY0000001';
export const DEMO_SECRET_KEY = 'demoSecretKey00000000000000000000000001A';

/** An agency that `assume_role` accepts. */
export const DEMO_AGENCY = 'demo-agency';

/** The account as the OS_* variables that clients of the cloud read. */
export const demoVariables = (url: string) => ({
  OS_AUTH_URL: `${url}/v3`,
  OS_REGION_NAME: REGION,
  OS_PROJECT_NAME: DEMO_PROJECT.name,
  OS_DOMAIN_NAME: DEMO_DOMAIN.name,
  OS_USERNAME: DEMO_USER.name,
  OS_PASSWORD: DEMO_USER.password,
});
