// ---- The camera: a live picture and one button. Without a secure context (http from another machine) the telephone's own camera.

const camera = $('#camera'), video = $('#camera video');
let track = null, facing = 'environment';
const startTrack = async () => {
  stopTrack();
  const stream = await navigator.mediaDevices.getUserMedia({audio: false, video: {facingMode: {ideal: facing}, width: {ideal: 4096}, height: {ideal: 3072}}});
  // Closed while the browser asked.
  if (!camera.open) return stream.getTracks().forEach(own => own.stop());
  [track] = stream.getVideoTracks();
  video.srcObject = stream;
  track.addEventListener('ended', () => { if (camera.open) camera.close(); });
};
const stopTrack = () => {
  track?.stop();
  [track, video.srcObject] = [null, null];
};
const openCamera = async () => {
  if (!navigator.mediaDevices?.getUserMedia) return $('#capture').click();
  camera.showModal();
  try {
    await startTrack();
    const devices = await navigator.mediaDevices.enumerateDevices();
    $('[name=flip]', camera).hidden = devices.filter(({kind}) => kind === 'videoinput').length < 2;
  } catch (error) {
    camera.close();
    note(error.name === 'NotAllowedError' ? 'The browser does not let this page use the camera' : 'There is no camera');
  }
};
const named = date => {
  const two = number => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}.${two(date.getMinutes())}.${two(date.getSeconds())}.jpg`;
};
const takePicture = async () => {
  // The first picture may not be there yet.
  if (!track || !video.videoWidth) return;
  const date = new Date();
  let blob = null;
  // The sensor's own picture where the browser gives one, else what the video shows.
  if (window.ImageCapture) blob = await new ImageCapture(track).takePhoto().catch(() => null);
  if (blob?.type !== 'image/jpeg') {
    const canvas = html('canvas', {width: video.videoWidth, height: video.videoHeight});
    canvas.getContext('2d').drawImage(video, 0, 0);
    blob = await new Promise(take => canvas.toBlob(take, 'image/jpeg', 0.92));
  }
  if (!blob) return note('The camera gave no picture');
  const bytes = dated(new Uint8Array(await blob.arrayBuffer()), date);
  camera.close();
  addFiles([new File([bytes], named(date), {type: 'image/jpeg'})]);
};
$('[name=camera]')?.addEventListener('click', openCamera);
$('#capture')?.addEventListener('change', event => { addFiles(event.target.files); event.target.value = ''; });
camera.addEventListener('close', stopTrack);
camera.addEventListener('click', event => {
  const {name} = event.target.closest('button') ?? {};
  if (name === 'shoot') takePicture();
  else if (name === 'close') camera.close();
  else if (name === 'flip') facing = facing === 'user' ? 'environment' : 'user', startTrack().catch(() => camera.close());
});
camera.addEventListener('keydown', event => {
  if (event.key !== ' ' || event.target.closest('[name=close], [name=flip]')) return;
  event.preventDefault();
  takePicture();
});
