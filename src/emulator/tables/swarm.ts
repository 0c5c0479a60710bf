/** The settings of a service in the swarm, which applications and databases share. */
export const swarmColumns = {
  healthCheckSwarm: null,
  restartPolicySwarm: null,
  placementSwarm: null,
  updateConfigSwarm: null,
  rollbackConfigSwarm: null,
  modeSwarm: null,
  labelsSwarm: null,
  networkSwarm: null,
  stopGracePeriodSwarm: null,
  endpointSpecSwarm: null,
  ulimitsSwarm: null,
  replicas: 1,
};
