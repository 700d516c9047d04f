{{- define "chainteller.labels" -}}
app.kubernetes.io/name: chainteller
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "chainteller.name" -}}
{{ printf "%s-chainteller" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "chainteller.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "chainteller.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
env:
  - {name: CHAINTELLER_DATABASE, value: {{ .Values.database.url | quote }}}
  - name: PGPASSWORD
    valueFrom: {secretKeyRef: {{ toJson .Values.database.passwordSecret }}}
  - {name: CHAINTELLER_AUDIT__WRITER_KEY, value: "env:WRITER_KEY"}
  - name: WRITER_KEY
    valueFrom: {secretKeyRef: {{ toJson .Values.writerKeySecret }}}
  - {name: CHAINTELLER_SERVICE__METRICS_ADDRESS, value: "0.0.0.0:9090"}
  {{- range $name, $value := .Values.settings }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
  {{- range $name, $from := .Values.secretSettings }}
  - name: {{ $name }}
    valueFrom: {secretKeyRef: {{ toJson $from }}}
  {{- end }}
resources: {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}
