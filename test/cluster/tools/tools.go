//go:build tools

// Package tools pins the programs that render the packages in deploy/.
package tools

import (
	_ "helm.sh/helm/v4/cmd/helm"
	_ "sigs.k8s.io/kustomize/kustomize/v5"
)
